#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "messages/ids.hpp"
#include "messages/job_ids.hpp"
#include "messages/result.hpp"
#include "outputs/output_reservation.hpp"

namespace stoker {

/// The directory with one application's outputs on a worker, as the worker sees it.
/// To be used by one thread at a time; executors write there meanwhile.
class ApplicationOutputs {
public:
  /// Makes the directory, open to its owner alone (0700), or goes on with the one
  /// that is there. Fails with `Errc::invalid_request` for an id that cannot be a
  /// directory's name, with `Errc::io` and `Errc::full`.
  static Result<ApplicationOutputs>
  open(const std::filesystem::path& data_directory, const AppId& app,
       std::uint64_t quota_bytes);

  [[nodiscard]] const std::filesystem::path& directory() const noexcept {
    return directory_;
  }

  /// What is in the directory's `.server-id`.
  [[nodiscard]] const std::string& server_id() const noexcept {
    return server_id_;
  }

  /// Bytes that count against the quota.
  [[nodiscard]] std::uint64_t used() const noexcept {
    return table_.used();
  }

  /// An executor has ended, however: removes what it did not finish, and gives back
  /// what it had reserved. Repeating it changes nothing.
  void writer_ended(int exec_id);

  /// Removes all outputs of a stage that are finished.
  void remove_stage(StageId stage);

private:
  ApplicationOutputs(std::filesystem::path directory, std::string server_id,
                     ReservationTable table)
      : directory_(std::move(directory)), server_id_(std::move(server_id)),
        table_(std::move(table)) {
  }

  std::filesystem::path directory_;
  std::string server_id_;
  ReservationTable table_;
};

/// What the file in an application's directory says; empty: there is none. For
/// readers that want to know whether it is the directory of a server.
std::string read_server_id(const std::filesystem::path& directory);

} // namespace stoker
