#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <variant>
#include <vector>

#include "messages/ids.hpp"
#include "network/application_secret.hpp"
#include "outputs/connection_pool.hpp"
#include "outputs/fetch.hpp"
#include "outputs/output_fetch.hpp"
#include "outputs/output_protocol.hpp"

namespace stoker {

/// Reads outputs one after the other, as a stream. For one thread, which waits in
/// `next`.
///
/// Bytes are handed on while their checksum is computed, before the end of their
/// partition is known: what was read is right only once `next` has returned
/// EndOfOutputs. A consumer that cannot take back what it has done waits for that.
class OutputReader {
public:
  OutputReader(std::shared_ptr<ConnectionPool> pool,
               std::vector<LocatedOutput> sources, PartitionRange partitions,
               const std::stop_token& stop);

  /// The next bytes, in the order of the sources; none of them is empty. Waits no
  /// longer than the limits say. After the end, and after a failure, it returns the
  /// same again.
  Fetched next();

private:
  /// Asks the servers that come next, up to the one that is needed at least.
  void ask_ahead(std::size_t needed);

  std::shared_ptr<ConnectionPool> pool_;
  std::vector<LocatedOutput> sources_;

  /// What each server has, in the order in which they are wanted first; and which of
  /// them has a source. Null: it is not read any more.
  std::vector<std::unique_ptr<OutputFetch>> fetches_;
  std::vector<std::size_t> outputs_left_;
  std::vector<std::size_t> fetch_of_;
  std::size_t begun_ = 0;
  std::size_t open_ = 0;

  std::size_t at_ = 0;
  std::vector<char> buffer_;
  std::optional<FetchFailure> failure_;
};

/// Reads what an application's executors have written, in one of them or in its
/// driver: from files where the server's directory is on this machine, else over
/// connections that prove the application's secret. May be used by any thread.
class OutputClient {
public:
  OutputClient(const AppId& app, const ApplicationSecret& secret,
               const FetchLimits& limits = {});

  /// One partition of all of these outputs: what a task after a shuffle reads.
  /// @param stop ends the reader early, with a failure
  [[nodiscard]] OutputReader
  read_partition(std::vector<LocatedOutput> sources, std::uint32_t partition,
                 const std::stop_token& stop = {}) const;

  /// Some partitions of each of these outputs, or all: what a task reads that goes on
  /// with another one's output.
  [[nodiscard]] OutputReader read_range(std::vector<LocatedOutput> sources,
                                        PartitionRange partitions,
                                        const std::stop_token& stop = {}) const;

  /// All bytes of some partitions of an output, checked: a result, for a driver.
  /// Fails with a text if they are more than `bytes_max`.
  [[nodiscard]] std::variant<std::string, FetchFailure>
  fetch(const LocatedOutput& source, PartitionRange partitions,
        std::size_t bytes_max, const std::stop_token& stop = {}) const;

private:
  std::shared_ptr<ConnectionPool> pool_;
};

} // namespace stoker
