#include "network/tls_socket.hpp"

#include <cerrno>
#include <cstring>
#include <new>

#include <openssl/err.h>
#include <openssl/ssl.h>

namespace stoker {

namespace {

/// Some records are read from the socket at a time.
constexpr std::size_t read_ahead_bytes = std::size_t{64} << 10;

} // namespace

TlsSocket::TlsSocket(const std::shared_ptr<TlsContext>& context, int socket,
                     Side side)
    : ssl_(SSL_new(context->native_handle()), SSL_free) {
  if (!ssl_ || SSL_set_fd(ssl_.get(), socket) != 1)
    throw std::bad_alloc{};
  // A caller may write from another place next time, and reads what is there.
  SSL_set_mode(ssl_.get(), SSL_MODE_ENABLE_PARTIAL_WRITE
                               | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER
                               | SSL_MODE_RELEASE_BUFFERS);
  SSL_set_read_ahead(ssl_.get(), 1);
  SSL_set_default_read_buffer_len(ssl_.get(), read_ahead_bytes);
  if (side == Side::client)
    SSL_set_connect_state(ssl_.get());
  else
    SSL_set_accept_state(ssl_.get());
}

TlsSocket::~TlsSocket() = default;

TlsSocket::Tried TlsSocket::judge(int result, std::size_t bytes) {
  if (result > 0)
    return {Outcome::done, bytes};
  auto system_error = errno;
  switch (SSL_get_error(ssl_.get(), result)) {
  case SSL_ERROR_WANT_READ:
    return {Outcome::wants_read, 0};
  case SSL_ERROR_WANT_WRITE:
    return {Outcome::wants_write, 0};
  case SSL_ERROR_ZERO_RETURN:
    return {Outcome::ended, 0};
  case SSL_ERROR_SYSCALL:
    problem_ = system_error != 0 ? std::strerror(system_error)
                                 : "the connection was closed";
    break;
  default: {
    const auto* reason = ERR_reason_error_string(ERR_peek_last_error());
    problem_ = reason != nullptr ? reason : "TLS failed";
  }
  }
  return {Outcome::failed, 0};
}

TlsSocket::Tried TlsSocket::shake_hands() {
  ERR_clear_error();
  errno = 0;
  return judge(SSL_do_handshake(ssl_.get()), 0);
}

TlsSocket::Tried TlsSocket::read(std::span<char> into) {
  std::size_t all = 0;
  // A record has 16 KiB at most.
  while (all < into.size()) {
    ERR_clear_error();
    errno = 0;
    std::size_t n = 0;
    auto result
        = SSL_read_ex(ssl_.get(), into.data() + all, into.size() - all, &n);
    if (result <= 0)
      return all > 0 ? Tried{Outcome::done, all} : judge(result, 0);
    all += n;
    if (SSL_pending(ssl_.get()) == 0 && SSL_has_pending(ssl_.get()) == 0)
      break;
  }
  return {Outcome::done, all};
}

TlsSocket::Tried TlsSocket::write(std::span<const char> bytes) {
  ERR_clear_error();
  errno = 0;
  std::size_t n = 0;
  auto result = SSL_write_ex(ssl_.get(), bytes.data(), bytes.size(), &n);
  return judge(result, n);
}

std::optional<AppId> TlsSocket::proven_application() const {
  return stoker::proven_application(ssl_.get());
}

} // namespace stoker
