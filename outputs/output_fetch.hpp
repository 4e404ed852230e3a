#pragma once

#include <cstddef>
#include <deque>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <variant>
#include <vector>

#include "messages/output_location.hpp"
#include "messages/result.hpp"
#include "outputs/client_connection.hpp"
#include "outputs/connection_pool.hpp"
#include "outputs/fetch.hpp"
#include "outputs/output_protocol.hpp"
#include "outputs/partition_check.hpp"
#include "outputs/stored_output.hpp"

namespace stoker {

/// What a reader wants of one server: some outputs, one after the other.
class OutputFetch {
public:
  /// How many bytes came, or why not. 0: the present output is complete and right,
  /// the next one follows.
  using Read = std::variant<std::size_t, FetchFailure>;

  virtual ~OutputFetch() = default;

  /// Asks for the outputs, if that is not done yet, so that they are on their way.
  virtual void begin() = 0;

  /// @pre there are outputs left
  virtual Read read(std::span<char> into) = 0;

protected:
  OutputFetch(OutputServer server, std::vector<OutputRequest> wanted)
      : server_(std::move(server)), wanted_(std::move(wanted)) {
  }

  [[nodiscard]] FetchFailure failure(bool unreachable,
                                     const std::string& why) const;

  const OutputServer server_;
  const std::vector<OutputRequest> wanted_;

  /// The present output.
  std::size_t at_ = 0;
};

/// From the server's directory, which is on this machine.
class DirectFetch : public OutputFetch {
public:
  DirectFetch(OutputServer server, std::vector<OutputRequest> wanted)
      : OutputFetch(std::move(server), std::move(wanted)) {
  }

  void begin() override {
  }
  Read read(std::span<char> into) override;

private:
  Status open();

  std::optional<StoredOutput> output_;
  std::optional<PartitionCheck> check_;
  std::uint64_t begin_ = 0;
};

/// Over a connection. When it fails another one goes on where it was.
class RemoteFetch : public OutputFetch {
public:
  RemoteFetch(OutputServer server, std::vector<OutputRequest> wanted,
              std::shared_ptr<ConnectionPool> pool, std::stop_token stop)
      : OutputFetch(std::move(server), std::move(wanted)),
        pool_(std::move(pool)), stop_(std::move(stop)) {
  }
  ~RemoteFetch() override;

  void begin() override;
  Read read(std::span<char> into) override;

private:
  /// Fails with `Errc::not_alive` where another connection may help, with
  /// `Errc::io` where another time may.
  Result<std::size_t> try_read(std::span<char> into);

  /// Has a connection that was asked for the present output.
  Status ask();

  /// Reads what is in front of an output's bytes.
  Status read_head();

  /// Waits before the server is tried again. Returns false if that was often
  /// enough, or the reader was stopped.
  bool wait_for_retry();

  std::shared_ptr<ConnectionPool> pool_;
  std::stop_token stop_;
  ConnectionPool::Lease connection_;

  /// So many of the outputs were asked for over this connection.
  std::size_t asked_end_ = 0;

  /// Whether the head of the present output was read over this connection.
  bool has_head_ = false;

  /// Of the present output, over all connections.
  std::optional<PartitionCheck> check_;
  int failures_ = 0;
};

} // namespace stoker
