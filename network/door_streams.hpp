#pragma once

// What both sides of a door have in common.

#include <sys/socket.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/write.hpp>
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>

#include "network/application_tls.hpp"
#include "network/credentials.hpp"
#include "network/greeting.hpp"
#include "network/identity.hpp"
#include "network/post_to.hpp"
#include "network/pump.hpp"
#include "process/unique_fd.hpp"

namespace stoker {

template <class Stream>
inline constexpr bool is_encrypted = std::is_same_v<Stream, TlsStream>;

/// A stream over a socket. `context` is used if it is encrypted.
template <class Stream>
Stream make_stream(PlainStream socket, Credentials::Context* context) {
  if constexpr (is_encrypted<Stream>)
    return Stream{std::move(socket), *context};
  else
    return socket;
}

/// The same connection in another thread. Nothing may be under way on it.
inline PlainStream move_to(boost::asio::io_context& context,
                           PlainStream stream) {
  boost::system::error_code error;
  auto local = stream.local_endpoint(error);
  process::UniqueFd socket{stream.release()};
  PlainStream result{context};
  result.assign(local.protocol(), socket.get());
  static_cast<void>(socket.release());
  return result;
}

/// After the handshake. What the peer has sent and TLS has not decrypted is lost: peers wait for
/// the greeting before they say more.
inline TlsStream move_to(boost::asio::io_context& context, TlsStream stream) {
  auto socket = move_to(context, std::move(stream.next_layer()));
  auto* connection = stream.native_handle();
  SSL_up_ref(connection);
  return {std::move(socket), connection};
}

/// Who is at the other end, after the handshake; nothing: it is not encrypted.
template <class Stream>
Result<std::optional<Identity>> identity_behind(Stream& stream) {
  if constexpr (is_encrypted<Stream>) {
    if (auto application = proven_application(stream.native_handle()))
      return std::optional{
          Identity{std::move(application->value), Role::executor}};
    std::unique_ptr<X509, decltype(&X509_free)> certificate{
        SSL_get1_peer_certificate(stream.native_handle()), X509_free};
    if (!certificate)
      return Error{Errc::invalid_request, "it shows no certificate"};
    auto identity = identity_of(certificate.get());
    if (!identity)
      return std::move(identity).error();
    return std::optional{*std::move(identity)};
  } else {
    return std::optional<Identity>{};
  }
}

/// What is wrong with the other side's certificate, such as " (certificate revoked)", after a
/// handshake that failed. Empty: nothing, or there is none.
inline std::string verification_problem(const SSL* connection) {
  auto result = SSL_get_verify_result(connection);
  if (result == X509_V_OK)
    return {};
  return std::string{" ("} + X509_verify_cert_error_string(result)
         + (result == X509_V_ERR_CERT_NOT_YET_VALID
                ? "; the clocks of both machines differ)"
                : ")");
}

/// Two connected local streams: one for CAF, one for a pump.
struct LocalPair {
  process::UniqueFd of_caf;
  process::UniqueFd of_pump;
};
inline std::optional<LocalPair> make_local_pair() {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    return std::nullopt;
  return LocalPair{process::UniqueFd{ends[0]}, process::UniqueFd{ends[1]}};
}

/// Reads a line of at most `greeting_bytes_max` into `line`, and calls with an
/// error or with how many bytes of it are the line and its newline: more may have
/// come.
template <class Stream, class Call>
void read_greeting(Stream& stream, std::string& line, Call call) {
  boost::asio::async_read_until(
      stream, boost::asio::dynamic_buffer(line, greeting_bytes_max), '\n',
      std::move(call));
}

} // namespace stoker
