// CAF 0.17 closes a connection that fails its handshake without a word, and has
// no place to hook into. This file stands between it and OpenSSL: the linker
// takes our SSL_accept, which calls the real one (docs/decisions).

#include "actors/tls_refusals.hpp"

#include <arpa/inet.h>
#include <dlfcn.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <array>
#include <atomic>
#include <string>

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <spdlog/spdlog.h>

namespace stoker {

namespace {

std::atomic<bool> reporting{false};

std::string peer_of(const SSL* ssl) {
  sockaddr_storage address{};
  socklen_t size = sizeof(address);
  if (getpeername(SSL_get_fd(ssl), reinterpret_cast<sockaddr*>(&address), &size)
      != 0)
    return "somebody who has left";
  std::array<char, INET6_ADDRSTRLEN> text{};
  const void* bytes
      = address.ss_family == AF_INET6
            ? static_cast<const void*>(
                &reinterpret_cast<const sockaddr_in6*>(&address)->sin6_addr)
            : &reinterpret_cast<const sockaddr_in*>(&address)->sin_addr;
  inet_ntop(address.ss_family, bytes, text.data(), text.size());
  return text.data();
}

/// Logs a handshake that has failed for good.
void report(SSL* ssl, int result) {
  auto error = SSL_get_error(ssl, result);
  if (error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE)
    return;
  // Somebody looked whether the port is open, and said nothing.
  if (BIO_number_read(SSL_get_rbio(ssl)) == 0)
    return;
  const auto* reason = ERR_reason_error_string(ERR_peek_error());
  spdlog::warn("refused a connection from {}: {}", peer_of(ssl),
               reason != nullptr ? reason
                                 : "it was closed during the TLS handshake");
}

} // namespace

void report_tls_refusals() {
  reporting = true;
}

} // namespace stoker

extern "C" int SSL_accept(SSL* ssl) {
  using Accept = int (*)(SSL*);
  static const auto real
      = reinterpret_cast<Accept>(dlsym(RTLD_NEXT, "SSL_accept"));
  if (!stoker::reporting)
    return real(ssl);
  SSL_set_min_proto_version(ssl, TLS1_3_VERSION);
  ERR_clear_error();
  auto result = real(ssl);
  if (result <= 0)
    stoker::report(ssl, result);
  return result;
}
