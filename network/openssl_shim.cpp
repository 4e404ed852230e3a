// Mends two things in CAF 0.17's use of OpenSSL that it has no place to hook
// into. The linker takes the functions below, which call the real ones.
//
// - CAF closes a connection that fails its handshake without a word. We log it.
// - CAF does not empty OpenSSL's queue of errors, which is one for all
//   connections of a thread. What one broken connection leaves there is taken
//   for an error of the next one that has just nothing to read, so that a
//   worker killed with -9 took all other connections with it. We empty it.

#include "network/openssl_shim.hpp"

#include <arpa/inet.h>
#include <dlfcn.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <array>
#include <atomic>
#include <string>
#include <utility>

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <spdlog/spdlog.h>

namespace stoker {

namespace {

std::atomic<bool> reporting{false};

std::string address_of_peer(const SSL* ssl) {
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

struct Peer {
  std::string address;

  /// CAF tries a failed handshake again.
  bool reported = false;
};

void free_peer(void*, void* peer, CRYPTO_EX_DATA*, int, long, void*) {
  delete static_cast<Peer*>(peer);
}

/// Found out at the first call: after a failure the peer may have left.
Peer& peer_of(SSL* ssl) {
  static const auto index
      = SSL_get_ex_new_index(0, nullptr, nullptr, nullptr, free_peer);
  auto* known = static_cast<Peer*>(SSL_get_ex_data(ssl, index));
  if (known == nullptr) {
    known = new Peer{address_of_peer(ssl)};
    SSL_set_ex_data(ssl, index, known);
  }
  return *known;
}

/// Logs a handshake that has failed for good.
void report(SSL* ssl, Peer& peer, int result) {
  auto error = SSL_get_error(ssl, result);
  if (error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE)
    return;
  // Somebody looked whether the port is open, and said nothing.
  if (BIO_number_read(SSL_get_rbio(ssl)) == 0
      || std::exchange(peer.reported, true))
    return;
  const auto* reason = ERR_reason_error_string(ERR_peek_error());
  spdlog::warn(
      "[connection-refused] refused a connection from {}: {}", peer.address,
      reason != nullptr ? reason : "it was closed during the TLS handshake");
}

} // namespace

void report_tls_refusals() {
  reporting = true;
}

} // namespace stoker

namespace {

/// The function of this name in the library that comes after us.
template <class Function>
Function next(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

} // namespace

extern "C" {

int SSL_accept(SSL* ssl) {
  static const auto real = next<int (*)(SSL*)>("SSL_accept");
  ERR_clear_error();
  if (!stoker::reporting)
    return real(ssl);
  SSL_set_min_proto_version(ssl, TLS1_3_VERSION);
  auto& peer = stoker::peer_of(ssl);
  auto result = real(ssl);
  if (result <= 0)
    stoker::report(ssl, peer, result);
  return result;
}

int SSL_connect(SSL* ssl) {
  static const auto real = next<int (*)(SSL*)>("SSL_connect");
  ERR_clear_error();
  return real(ssl);
}

int SSL_read(SSL* ssl, void* buffer, int size) {
  static const auto real = next<int (*)(SSL*, void*, int)>("SSL_read");
  ERR_clear_error();
  return real(ssl, buffer, size);
}

int SSL_write(SSL* ssl, const void* buffer, int size) {
  static const auto real = next<int (*)(SSL*, const void*, int)>("SSL_write");
  ERR_clear_error();
  return real(ssl, buffer, size);
}

} // extern "C"
