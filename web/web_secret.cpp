#include "web/web_secret.hpp"

#include <cstddef>
#include <span>

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>

namespace stoker {

namespace {

constexpr std::string_view digits = "0123456789abcdef";

std::string hexadecimal(std::span<const unsigned char> bytes) {
  std::string result;
  result.reserve(2 * bytes.size());
  for (auto x : bytes) {
    result += digits[x >> 4U];
    result += digits[x & 0xFU];
  }
  return result;
}

const unsigned char* raw_bytes(std::string_view x) {
  return reinterpret_cast<const unsigned char*>(x.data());
}

} // namespace

Result<WebSecret> make_web_secret() {
  WebSecret result{};
  if (RAND_priv_bytes(result.data(), static_cast<int>(result.size())) != 1)
    return Error{Errc::failed, "the system has no random numbers"};
  return result;
}

std::string reveal(const WebSecret& x) {
  return hexadecimal(x);
}

std::string hash_of(std::string_view secret) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  EVP_Digest(secret.data(), secret.size(), digest.data(), &size, EVP_sha256(),
             nullptr);
  return hexadecimal(std::span{digest}.first(size));
}

std::string form_token(const WebSecret& key, std::string_view reader,
                       std::string_view action) {
  // Hashed, so that where the one ends and the other begins is beyond doubt.
  auto text = hash_of(reader) + hash_of(action);
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), raw_bytes(text),
       text.size(), digest.data(), &size);
  return hexadecimal(std::span{digest}.first(size));
}

bool is_equal(std::string_view token, std::string_view expected) {
  return token.size() == expected.size()
         && CRYPTO_memcmp(token.data(), expected.data(), token.size()) == 0;
}

} // namespace stoker
