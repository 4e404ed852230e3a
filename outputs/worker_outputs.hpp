#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "messages/ids.hpp"
#include "messages/output_location.hpp"
#include "messages/result.hpp"
#include "outputs/output_limits.hpp"
#include "outputs/output_service.hpp"

namespace stoker {

/// What a worker's executors write: served, and found again by a worker that goes on in
/// the place of one that died. Each application's secret is kept beside its outputs,
/// in a file that only the worker's user can read. May be used by one thread at a time.
class WorkerOutputs {
public:
  /// As `OutputService::start`.
  static Result<std::shared_ptr<WorkerOutputs>>
  start(const std::string& host, const std::filesystem::path& directory,
        OutputLimits limits = {});

  /// Applications that can be served again. The others' outputs are removed.
  [[nodiscard]] const std::vector<AppId>& found() const noexcept {
    return found_;
  }

  /// @param secret Empty: the one that is kept.
  /// Fails as `OutputService::serve`, and with `Errc::corrupt` for what is no secret.
  Status serve(const AppId& app, const std::string& secret);

  void writer_ended(const ExecutorId& id);
  void stop_serving(const AppId& app);

  /// The worker ends, and nobody goes on in its place: serves nothing any more, and
  /// removes all.
  void give_up();

  /// By what an executor of the application knows where to write; empty: it is not
  /// served.
  [[nodiscard]] std::map<std::string, std::string>
  environment_of(const AppId& app) const;

private:
  WorkerOutputs(std::unique_ptr<OutputService> service,
                std::filesystem::path directory);

  [[nodiscard]] std::filesystem::path secret_file(const AppId& app) const;

  std::unique_ptr<OutputService> service_;
  std::filesystem::path directory_;
  std::vector<AppId> found_;
  std::map<AppId, OutputServer> served_;
};

} // namespace stoker
