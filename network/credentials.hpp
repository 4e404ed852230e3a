#pragma once

#include <memory>
#include <mutex>
#include <optional>

#include <boost/asio/ssl/context.hpp>

#include "messages/result.hpp"
#include "network/identity.hpp"
#include "network/tls_config.hpp"

namespace stoker {

/// What this process proves itself with, and by what it judges others: read from
/// files once, and again when somebody asks for that. Both sides of a connection
/// show a certificate of the same authority; TLS 1.3. May be used by any thread.
class Credentials {
public:
  using Context = boost::asio::ssl::context;

  /// Fails with a line that names the file which is missing or wrong.
  static Result<std::shared_ptr<Credentials>> load(const TlsConfig& files);

  /// Reads the files again. After an error all is as it was.
  Status reload();

  /// Whether servers are known by their hosts' names.
  [[nodiscard]] bool names_hosts() const noexcept {
    return files_.names_hosts;
  }

  /// Who this process is to others. Nothing: they would not let it in.
  [[nodiscard]] std::optional<Identity> identity() const;

  /// For connections that begin now.
  [[nodiscard]] std::shared_ptr<Context> context() const;

private:
  explicit Credentials(TlsConfig files) : files_(std::move(files)) {
  }

  TlsConfig files_;
  mutable std::mutex mutex_;
  std::shared_ptr<Context> context_;
  std::optional<Identity> identity_;
};

} // namespace stoker
