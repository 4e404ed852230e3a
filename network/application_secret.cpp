#include "network/application_secret.hpp"

#include <openssl/crypto.h>
#include <openssl/rand.h>

namespace stoker {

namespace {

constexpr std::string_view hex_digits = "0123456789abcdef";

} // namespace

Result<ApplicationSecret> ApplicationSecret::make() {
  ApplicationSecret result;
  if (RAND_priv_bytes(result.bytes_.data(), static_cast<int>(size)) != 1)
    return Error{Errc::failed, "cannot make a secret for the application: the "
                               "system has no random numbers"};
  return result;
}

Result<ApplicationSecret> ApplicationSecret::parse(std::string_view hex) {
  if (hex.size() != 2 * size)
    return invalid("a secret of an application has 64 hexadecimal digits");
  ApplicationSecret result;
  for (std::size_t i = 0; i < size; ++i) {
    auto high = hex_digits.find(hex[2 * i]);
    auto low = hex_digits.find(hex[2 * i + 1]);
    if (high == std::string_view::npos || low == std::string_view::npos)
      return invalid("a secret of an application has hexadecimal digits only");
    result.bytes_[i] = static_cast<std::uint8_t>(high << 4U | low);
  }
  return result;
}

ApplicationSecret::~ApplicationSecret() {
  OPENSSL_cleanse(bytes_.data(), bytes_.size());
}

std::string ApplicationSecret::reveal() const {
  std::string result;
  result.reserve(2 * size);
  for (auto x : bytes_) {
    result += hex_digits[x >> 4U];
    result += hex_digits[x & 0xFU];
  }
  return result;
}

bool operator==(const ApplicationSecret& x,
                const ApplicationSecret& y) noexcept {
  return CRYPTO_memcmp(x.bytes_.data(), y.bytes_.data(),
                       ApplicationSecret::size)
         == 0;
}

} // namespace stoker
