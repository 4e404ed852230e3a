#pragma once

#include <string>

namespace stoker {

/// Certificates for mutual TLS, as PEM files: all three, or none.
struct TlsConfig {
  std::string certificate;
  std::string key;
  std::string authority;

  /// Whether a server has to have a certificate for the name that it is reached by.
  /// Not so where all nodes of the authority are one owner's on one machine.
  bool names_hosts = true;

  [[nodiscard]] bool enabled() const noexcept {
    return !certificate.empty() || !key.empty() || !authority.empty();
  }
};

} // namespace stoker
