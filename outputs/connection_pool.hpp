#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <utility>

#include "messages/ids.hpp"
#include "messages/output_location.hpp"
#include "messages/result.hpp"
#include "network/application_secret.hpp"
#include "network/application_tls.hpp"
#include "outputs/client_connection.hpp"
#include "outputs/fetch.hpp"

namespace stoker {

/// The connections of a process to the services of its application: one to each is
/// kept for the next reader. May be used by any thread.
class ConnectionPool {
public:
  /// A connection that somebody has; null: none.
  struct Lease {
    std::unique_ptr<ClientConnection> connection;

    /// Another reader has used it before: its server may have left it meanwhile.
    bool used_before = false;
  };

  ConnectionPool(const AppId& app, const ApplicationSecret& secret,
                 const FetchLimits& limits)
      : limits_(limits), context_(application_client_context(app, secret)) {
  }

  [[nodiscard]] const FetchLimits& limits() const noexcept {
    return limits_;
  }

  /// The one that is kept, or a new one. Fails with `Errc::not_alive`.
  Result<Lease> take(const OutputServer& server, const std::stop_token& stop);

  /// It was answered completely.
  void give_back(const OutputServer& server, Lease lease);

private:
  using Clock = std::chrono::steady_clock;
  using Kept = std::pair<std::unique_ptr<ClientConnection>, Clock::time_point>;

  const FetchLimits limits_;
  const std::shared_ptr<TlsContext> context_;
  std::mutex mutex_;
  std::map<std::string, Kept> kept_;
};

} // namespace stoker
