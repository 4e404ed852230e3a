#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <openssl/types.h>

#include "messages/result.hpp"

namespace stoker {

/// The serial number of a certificate: upper-case hexadecimal digits without leading zeros.
std::string serial_number(const X509* certificate);

/// Those of the certificates that the peer has proven itself with, and of their authorities.
std::vector<std::string> serial_numbers_of_peer(const SSL* connection);

/// Reads a serial number as users have it: in hexadecimal digits of either case, perhaps with
/// colons, leading zeros, or "serial=" in front, as `openssl x509 -serial` prints it.
/// @return empty if it is none
std::string parse_serial_number(std::string_view text);

/// The certificates of an authority that do not count any more, by their serial numbers.
class RevokedCertificates {
public:
  RevokedCertificates() = default;

  /// Reads a file of one serial number a line; what follows a '#' is a comment. Fails with a line
  /// that names the file, and the line which is wrong.
  static Result<RevokedCertificates> read(const std::string& file);

  [[nodiscard]] bool contains(const std::string& serial) const {
    return serials_.contains(serial);
  }
  [[nodiscard]] bool
  contains_any(const std::vector<std::string>& serials) const;

  [[nodiscard]] std::size_t size() const noexcept {
    return serials_.size();
  }

private:
  std::set<std::string> serials_;
};

} // namespace stoker
