#include "storage/sha256.hpp"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <new>

#include <openssl/evp.h>

namespace stoker {

void Sha256::Free::operator()(EVP_MD_CTX* x) const noexcept {
  ::EVP_MD_CTX_free(x);
}

Sha256::Sha256() : context_(::EVP_MD_CTX_new()) {
  if (!context_
      || ::EVP_DigestInit_ex(context_.get(), ::EVP_sha256(), nullptr) != 1)
    throw std::bad_alloc{};
}

void Sha256::add(std::string_view bytes) {
  ::EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size());
}

std::string Sha256::digest() {
  std::array<unsigned char, EVP_MAX_MD_SIZE> bytes{};
  unsigned int size = 0;
  ::EVP_DigestFinal_ex(context_.get(), bytes.data(), &size);
  constexpr std::string_view digits = "0123456789abcdef";
  std::string result;
  for (unsigned int i = 0; i < size; ++i) {
    result += digits[bytes[i] >> 4U];
    result += digits[bytes[i] & 0xfU];
  }
  return result;
}

std::string sha256_of(std::string_view text) {
  Sha256 sum;
  sum.add(text);
  return sum.digest();
}

std::string sha256_of_file(int fd) {
  constexpr std::size_t piece = std::size_t{256} * 1024;
  Sha256 sum;
  std::string buffer(piece, '\0');
  if (::lseek(fd, 0, SEEK_SET) != 0)
    return {};
  for (;;) {
    auto n = ::read(fd, buffer.data(), buffer.size());
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0)
      return {};
    if (n == 0)
      return sum.digest();
    sum.add(std::string_view{buffer.data(), static_cast<std::size_t>(n)});
  }
}

} // namespace stoker
