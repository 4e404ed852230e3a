#include "network/revoked_certificates.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <system_error>
#include <utility>

#include <openssl/bn.h>
#include <openssl/crypto.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include "messages/printable.hpp"

namespace stoker {

namespace {

/// Twenty bytes (RFC 5280, section 4.1.2.2).
constexpr std::size_t digits_max = 40;

/// More lines than an authority makes certificates.
constexpr std::size_t serials_max = 100'000;
constexpr std::size_t line_bytes_max = 1024;

constexpr std::string_view openssl_prefix = "serial=";

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r";
  auto begin = text.find_first_not_of(blanks);
  if (begin == std::string_view::npos)
    return {};
  return text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

std::string without_leading_zeros(const std::string& digits) {
  auto first = std::min(digits.find_first_not_of('0'), digits.size() - 1);
  return digits.substr(first);
}

} // namespace

std::string serial_number(const X509* certificate) {
  std::unique_ptr<BIGNUM, decltype(&BN_free)> number{
      ASN1_INTEGER_to_BN(X509_get0_serialNumber(certificate), nullptr),
      BN_free};
  std::unique_ptr<char, void (*)(char*)> text{number ? BN_bn2hex(number.get())
                                                     : nullptr,
                                              [](char* x) { OPENSSL_free(x); }};
  return text ? without_leading_zeros(text.get()) : std::string{};
}

std::vector<std::string> serial_numbers_of_peer(const SSL* connection) {
  std::vector<std::string> result;
  auto* chain = SSL_get0_verified_chain(connection);
  for (int i = 0; i < sk_X509_num(chain); ++i)
    result.push_back(serial_number(sk_X509_value(chain, i)));
  return result;
}

std::string parse_serial_number(std::string_view text) {
  if (text.starts_with(openssl_prefix))
    text.remove_prefix(openssl_prefix.size());
  std::string result;
  for (auto c : text) {
    if (c == ':')
      continue;
    auto is_digit = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'F');
    auto is_small = c >= 'a' && c <= 'f';
    if (!is_digit && !is_small)
      return {};
    result += is_small ? static_cast<char>(c - 'a' + 'A') : c;
  }
  if (result.empty())
    return {};
  result = without_leading_zeros(result);
  return result.size() <= digits_max ? result : std::string{};
}

Result<RevokedCertificates> RevokedCertificates::read(const std::string& file) {
  auto wrong = [&](const std::string& what) {
    return invalid("cannot use the list of revoked certificates " + file + ": "
                   + what);
  };
  std::error_code status;
  auto type = std::filesystem::status(file, status).type();
  if (status)
    return wrong(status.message());
  if (type != std::filesystem::file_type::regular)
    return wrong("it is not a regular file");
  std::ifstream in{file};
  if (!in)
    return wrong(std::strerror(errno));
  RevokedCertificates result;
  std::string line;
  for (std::size_t number = 1; std::getline(in, line); ++number) {
    auto entry = trimmed(std::string_view{line}.substr(0, line.find('#')));
    if (entry.empty())
      continue;
    auto serial = parse_serial_number(entry);
    if (line.size() > line_bytes_max || serial.empty())
      return invalid("cannot use the list of revoked certificates " + file + ':'
                     + std::to_string(number) + ": '"
                     + printable(std::string{entry.substr(0, digits_max)})
                     + "' is not a serial number; write the hexadecimal digits "
                       "that 'openssl x509 -serial' prints, or use 'stoker "
                       "revoke'");
    result.serials_.insert(std::move(serial));
    if (result.serials_.size() > serials_max)
      return wrong("it has more than " + std::to_string(serials_max)
                   + " serial numbers; make a new authority");
  }
  if (in.bad())
    return wrong("it cannot be read");
  return result;
}

bool RevokedCertificates::contains_any(
    const std::vector<std::string>& serials) const {
  return std::ranges::any_of(serials,
                             [&](const auto& x) { return contains(x); });
}

} // namespace stoker
