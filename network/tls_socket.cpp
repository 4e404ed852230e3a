#include "network/tls_socket.hpp"

#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <new>

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>

namespace stoker {

namespace {

/// Some records are read from the socket at a time.
constexpr std::size_t read_ahead_bytes = std::size_t{64} << 10;

int append_to_waiting(BIO* bio, const char* data, int size) {
  auto* waiting = static_cast<std::vector<char>*>(BIO_get_data(bio));
  waiting->insert(waiting->end(), data, data + size);
  return size;
}

long control_waiting(BIO*, int command, long, void*) {
  // The only thing that TLS asks for; flush() does it.
  return command == BIO_CTRL_FLUSH ? 1 : 0;
}

/// Puts what TLS writes into memory: OpenSSL's own one for that is cleared at each
/// turn, and keeps what it has grown to.
BIO* make_waiting_bio(std::vector<char>& waiting) {
  static BIO_METHOD* const method = [] {
    auto* result
        = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "waiting");
    if (result == nullptr || BIO_meth_set_write(result, append_to_waiting) != 1
        || BIO_meth_set_ctrl(result, control_waiting) != 1)
      throw std::bad_alloc{};
    return result;
  }();
  auto* result = BIO_new(method);
  if (result == nullptr)
    throw std::bad_alloc{};
  BIO_set_data(result, &waiting);
  BIO_set_init(result, 1);
  return result;
}

} // namespace

TlsSocket::TlsSocket(const std::shared_ptr<TlsContext>& context, int socket,
                     Side side)
    : socket_(socket), ssl_(SSL_new(context->native_handle()), SSL_free) {
  if (!ssl_ || SSL_set_fd(ssl_.get(), socket) != 1)
    throw std::bad_alloc{};
  SSL_set0_wbio(ssl_.get(), make_waiting_bio(waiting_));
  SSL_set_mode(ssl_.get(),
               SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_RELEASE_BUFFERS);
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

TlsSocket::Outcome TlsSocket::send_waiting() {
  while (sent_ < waiting_.size()) {
    auto n = ::send(socket_, waiting_.data() + sent_, waiting_.size() - sent_,
                    MSG_NOSIGNAL);
    if (n >= 0) {
      sent_ += static_cast<std::size_t>(n);
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      return Outcome::wants_write;
    } else if (errno != EINTR) {
      problem_ = std::strerror(errno);
      return Outcome::failed;
    }
  }
  waiting_.clear();
  sent_ = 0;
  return Outcome::done;
}

TlsSocket::Tried TlsSocket::shake_hands() {
  ERR_clear_error();
  errno = 0;
  auto tried = judge(SSL_do_handshake(ssl_.get()), 0);
  auto problem = problem_;
  auto sent = send_waiting();
  if (tried.outcome == Outcome::failed) {
    // Sending why may have failed, too.
    problem_ = problem;
    return tried;
  }
  return sent == Outcome::done ? tried : Tried{sent, 0};
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
    if (SSL_has_pending(ssl_.get()) == 0)
      break;
  }
  return {Outcome::done, all};
}

TlsSocket::Tried TlsSocket::write(std::span<const char> bytes) {
  if (auto sent = send_waiting(); sent != Outcome::done)
    return {sent, 0};
  std::size_t all = 0;
  while (all < bytes.size()) {
    ERR_clear_error();
    errno = 0;
    std::size_t n = 0;
    auto result
        = SSL_write_ex(ssl_.get(), bytes.data() + all, bytes.size() - all, &n);
    if (result <= 0)
      return judge(result, 0);
    all += n;
  }
  if (send_waiting() == Outcome::failed)
    return {Outcome::failed, 0};
  return {Outcome::done, all};
}

TlsSocket::Tried TlsSocket::flush() {
  auto sent = send_waiting();
  if (sent == Outcome::done)
    waiting_ = std::vector<char>{};
  return {sent, 0};
}

std::optional<AppId> TlsSocket::proven_application() const {
  return stoker::proven_application(ssl_.get());
}

} // namespace stoker
