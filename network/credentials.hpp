#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <boost/asio/ssl/context.hpp>

#include "messages/ids.hpp"
#include "messages/result.hpp"
#include "network/application_secret.hpp"
#include "network/identity.hpp"
#include "network/revoked_certificates.hpp"
#include "network/tls_config.hpp"

namespace stoker {

/// What this process proves itself with, and by what it judges others; TLS 1.3. Both
/// sides of a connection show a certificate of the same authority, or know the
/// secret of the same application: one of the two, as these credentials are. May be
/// used by any thread.
class Credentials {
public:
  using Context = boost::asio::ssl::context;
  class RevokedList;

  /// Certificates: read from files, and again when somebody asks for that. Fails
  /// with a line that names the file which is missing or wrong.
  static Result<std::shared_ptr<Credentials>> load(const TlsConfig& files);

  /// The driver and the executors of one application: whoever knows its secret is
  /// `Role::executor`, under the application's id.
  static std::shared_ptr<Credentials>
  for_application(const AppId& id, const ApplicationSecret& secret);

  /// Reads the files again, where there are some, and ends the connections of certificates that
  /// are revoked now.
  /// @return An error if a file is missing or wrong, or the own certificate has expired, is not
  /// valid yet, is revoked, is of another authority, or is that of another role. Then the own
  /// certificate stays as it was, but a list of revoked ones that is right counts.
  Status reload();

  /// Whether one of these certificates is revoked.
  [[nodiscard]] bool are_revoked(const std::vector<std::string>& serials) const;

  /// Keeps what it is given until it is destroyed.
  using Watch = std::shared_ptr<const void>;

  /// Has a connection ended when one of its certificates is revoked; at once if one is.
  /// @param end Called by any thread, perhaps twice; must not block.
  [[nodiscard]] Watch end_when_revoked(const std::vector<std::string>& serials,
                                       const std::function<void()>& end) const;

  /// Has this called each time that the files were read again; by any thread, must not block.
  [[nodiscard]] Watch on_reload(std::function<void()> call) const;

  /// Whether nobody but those who are meant gets in, from whatever host: servers
  /// are known by their hosts' names, or by a secret.
  [[nodiscard]] bool names_hosts() const noexcept {
    return files_.names_hosts;
  }

  /// Whose secret both sides know; nothing: they show certificates.
  [[nodiscard]] const std::optional<AppId>& application() const noexcept {
    return application_;
  }

  /// Who this process is to others. Nothing: they would not let it in.
  [[nodiscard]] std::optional<Identity> identity() const;

  /// For connections that begin now.
  [[nodiscard]] std::shared_ptr<Context> context() const;

private:
  struct Watchers;

  /// Reads the own certificate, its key and the authority.
  Status reload_own(const RevokedCertificates& revoked);

  explicit Credentials(TlsConfig files);

  Status take(std::shared_ptr<Context> context,
              const Result<Identity>& identity);

  TlsConfig files_;
  std::optional<AppId> application_;
  mutable std::mutex mutex_;
  std::shared_ptr<Context> context_;
  std::optional<Identity> identity_;
  std::shared_ptr<RevokedList> revoked_;
  std::shared_ptr<Watchers> watchers_;
};

} // namespace stoker
