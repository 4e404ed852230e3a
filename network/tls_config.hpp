#pragma once

#include <string>

#include "messages/result.hpp"

namespace stoker {

/// Certificates for mutual TLS, as PEM files: all three, or none.
struct TlsConfig {
  std::string certificate;
  std::string key;
  std::string authority;

  [[nodiscard]] bool enabled() const noexcept {
    return !certificate.empty();
  }
};

/// Finds a file that is missing, not readable, or not what it should be, or some
/// files given and others not.
Status validate(const TlsConfig& config);

} // namespace stoker
