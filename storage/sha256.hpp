#pragma once

#include <memory>
#include <string>
#include <string_view>

#include <openssl/types.h>

namespace stoker {

/// The SHA-256 of content that comes in pieces.
class Sha256 {
public:
  Sha256();

  void add(std::string_view bytes);

  /// Of all that was added, as 64 lower-case hexadecimal digits. Nothing can be added
  /// afterwards.
  [[nodiscard]] std::string digest();

private:
  struct Free {
    void operator()(EVP_MD_CTX* x) const noexcept;
  };
  std::unique_ptr<EVP_MD_CTX, Free> context_;
};

/// Of a text.
[[nodiscard]] std::string sha256_of(std::string_view text);

/// Of what a file has from its start to its end; empty if it cannot be read, which
/// `errno` explains.
/// @param fd Stands at its end afterwards.
[[nodiscard]] std::string sha256_of_file(int fd);

} // namespace stoker
