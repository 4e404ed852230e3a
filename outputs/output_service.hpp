#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "messages/ids.hpp"
#include "messages/job_ids.hpp"
#include "messages/output_location.hpp"
#include "messages/result.hpp"
#include "network/application_secret.hpp"
#include "outputs/output_limits.hpp"

namespace stoker {

/// Serves what the executors of a worker have written, to whoever knows the secret
/// of the same application, until the worker says that the application has ended.
/// Executors come and go meanwhile. Has a small fixed number of threads; its
/// functions may be called by any thread and do not wait for readers or for the
/// removal of files.
class OutputService {
public:
  /// Listens.
  /// @param host where it listens, and how others reach it
  /// @param port 0 chooses one
  /// @param data_directory of this service alone; is made if it is missing
  /// Fails as `open_acceptor`, and with `Errc::io`.
  static Result<std::unique_ptr<OutputService>>
  start(const std::string& host, std::uint16_t port,
        const std::filesystem::path& data_directory, OutputLimits limits = {});

  /// Ends all connections. Outputs stay.
  ~OutputService();

  OutputService(const OutputService&) = delete;
  OutputService& operator=(const OutputService&) = delete;

  [[nodiscard]] std::uint16_t port() const noexcept;

  /// Applications of which there was something when the service started. For each of
  /// them the worker either goes on (`serve`) or not (`stop_serving`).
  [[nodiscard]] const std::vector<AppId>& found() const noexcept;

  /// Makes the application's directory, or goes on with what is there: outputs, the
  /// reservations of executors, and the server's id. Repeating it with the same
  /// secret changes nothing, with another one replaces it. Fails with
  /// `Errc::invalid_request`, `Errc::io` or `Errc::full`.
  Result<OutputServer> serve(const AppId& app, const ApplicationSecret& secret);

  /// An executor has ended, however: soon, what it had not finished is gone, and its
  /// reservation given back. What it has committed stays. Repeating it changes
  /// nothing.
  void writer_ended(const AppId& app, int exec_id);

  /// Nobody needs the outputs of a stage any more: soon they are gone.
  void remove_stage(const AppId& app, StageId stage);

  /// The application has ended, or is not known any more: nobody gets anything from
  /// now on, its connections end, and soon all of it is gone. Repeating it changes
  /// nothing.
  void stop_serving(const AppId& app);

  /// How many bytes count against the application's quota; 0: it is not served.
  [[nodiscard]] std::uint64_t used(const AppId& app) const;

  /// How many connections there are.
  [[nodiscard]] std::size_t connections() const;

private:
  class Implementation;

  explicit OutputService(std::unique_ptr<Implementation> x);

  std::unique_ptr<Implementation> implementation_;
};

} // namespace stoker
