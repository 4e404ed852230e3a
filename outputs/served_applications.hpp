#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <boost/asio/thread_pool.hpp>

#include "messages/ids.hpp"
#include "messages/job_ids.hpp"
#include "messages/result.hpp"
#include "network/application_secret.hpp"
#include "outputs/application_outputs.hpp"
#include "storage/directory_remover.hpp"

namespace stoker {

/// The applications whose outputs a service has, in a directory each. May be used by
/// any thread. What takes long is done later, by threads of its own.
class ServedApplications {
public:
  /// Makes the directory if it is missing, and goes on with what was to be removed.
  /// Fails with `Errc::io` and `Errc::full`.
  static Result<std::unique_ptr<ServedApplications>>
  open(std::filesystem::path data_directory, std::uint64_t quota_bytes);

  /// What is being removed may stay, and is removed next time.
  ~ServedApplications();

  ServedApplications(const ServedApplications&) = delete;
  ServedApplications& operator=(const ServedApplications&) = delete;

  /// Those of which there was something when this was opened.
  [[nodiscard]] const std::vector<AppId>& found() const noexcept {
    return found_;
  }

  struct Location {
    std::filesystem::path directory;
    std::string server_id;
  };

  /// As `OutputService::serve`.
  Result<Location> add(const AppId& app, const ApplicationSecret& secret);

  /// It is not served any more when this returns, and soon its files are gone.
  void remove(const AppId& app);

  void writer_ended(const AppId& app, int exec_id);

  /// `then` is called when it is done.
  void remove_stage(const AppId& app, StageId stage,
                    std::function<void()> then);

  [[nodiscard]] std::optional<ApplicationSecret>
  secret_of(const AppId& app) const;

  [[nodiscard]] std::optional<std::filesystem::path>
  directory_of(const AppId& app) const;

  [[nodiscard]] std::uint64_t used(const AppId& app) const;

private:
  struct Application {
    ApplicationSecret secret;
    ApplicationOutputs outputs;
  };

  ServedApplications(std::filesystem::path data_directory,
                     std::uint64_t quota_bytes);

  [[nodiscard]] std::shared_ptr<Application> find(const AppId& app) const;

  /// Does something with an application's files, after all that was to be done
  /// before.
  void later(const AppId& app, std::function<void(ApplicationOutputs&)> what);

  /// Gives a directory a name under which nobody looks for it, and removes it.
  void discard(const std::filesystem::path& directory);

  const std::filesystem::path data_directory_;
  const std::uint64_t quota_bytes_;
  std::vector<AppId> found_;
  mutable std::mutex mutex_;
  std::map<AppId, std::shared_ptr<Application>> applications_;
  std::uint64_t discarded_ = 0;
  DirectoryRemover remover_;

  /// One thread: an application's files are one thread's at a time.
  boost::asio::thread_pool worker_{1};
};

} // namespace stoker
