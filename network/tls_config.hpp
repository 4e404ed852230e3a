#pragma once

#include <string>

namespace stoker {

/// Certificates for mutual TLS, as PEM files: the first three, or none.
struct TlsConfig {
  std::string certificate;
  std::string key;
  std::string authority;

  /// Whether a server has to have a certificate for the name that it is reached by.
  /// Not so where all nodes of the authority are one owner's on one machine.
  bool names_hosts = true;

  /// A list of certificates of the authority that do not count any more
  /// (network/revoked_certificates.hpp). Empty: all of them count.
  std::string revoked;

  [[nodiscard]] bool enabled() const noexcept {
    return !certificate.empty() || !key.empty() || !authority.empty()
           || !revoked.empty();
  }
};

} // namespace stoker
