#include "network/credentials.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>
#include <new>
#include <string>
#include <system_error>
#include <utility>

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>

#include "network/application_tls.hpp"

namespace stoker {

namespace {

namespace ssl = boost::asio::ssl;

Result<std::shared_ptr<Credentials::Context>>
read_context(const TlsConfig& files) {
  if (files.certificate.empty() || files.key.empty() || files.authority.empty())
    return invalid("TLS needs all of --tls-cert, --tls-key and --tls-ca");
  std::error_code status;
  for (const auto& file : {files.certificate, files.key, files.authority})
    // OpenSSL would read one that has no end for ever.
    if (std::filesystem::is_character_file(file, status)
        || std::filesystem::is_block_file(file, status))
      return invalid("cannot use " + file + " for TLS: it is a device");
  auto result = std::make_shared<ssl::context>(ssl::context::tls);
  SSL_CTX_set_min_proto_version(result->native_handle(), TLS1_3_VERSION);
  // Connections are few and long: nobody comes back to a session.
  SSL_CTX_set_num_tickets(result->native_handle(), 0);
  result->set_verify_mode(ssl::verify_peer | ssl::verify_fail_if_no_peer_cert);
  boost::system::error_code error;
  auto wrong = [&](const char* what, const std::string& file) {
    // OpenSSL says "system lib" of a file that cannot be read.
    auto readable = ::access(file.c_str(), R_OK) == 0;
    auto reason = readable ? error.message() : std::strerror(errno);
    return invalid(std::string{"cannot use the "} + what + ' ' + file + ": "
                   + reason);
  };
  if (result->use_certificate_chain_file(files.certificate, error); error)
    return wrong("certificate", files.certificate);
  if (result->use_private_key_file(files.key, ssl::context::pem, error); error)
    return wrong("key", files.key);
  if (result->load_verify_file(files.authority, error); error)
    return wrong("authority", files.authority);
  // Browsers offer their user's certificates of it, and no others.
  SSL_CTX_set_client_CA_list(result->native_handle(),
                             SSL_load_client_CA_file(files.authority.c_str()));
  return result;
}

/// Whoever trusts this authority would not let this process in otherwise. Times are
/// left to those who look at them.
Status check_signature(SSL_CTX* context, const TlsConfig& files) {
  STACK_OF(X509)* chain = nullptr;
  SSL_CTX_get0_chain_certs(context, &chain);
  std::unique_ptr<X509_STORE_CTX, decltype(&X509_STORE_CTX_free)> check{
      X509_STORE_CTX_new(), X509_STORE_CTX_free};
  if (!check
      || X509_STORE_CTX_init(check.get(), SSL_CTX_get_cert_store(context),
                             SSL_CTX_get0_certificate(context), chain)
             != 1)
    throw std::bad_alloc{};
  X509_STORE_CTX_set_flags(check.get(), X509_V_FLAG_NO_CHECK_TIME);
  auto good = X509_verify_cert(check.get()) == 1;
  // Nobody is to take it for the reason of another failure.
  ERR_clear_error();
  if (good)
    return {};
  auto why = X509_STORE_CTX_get_error(check.get());
  return invalid("the certificate " + files.certificate
                 + " is not signed by the authority " + files.authority + " ("
                 + X509_verify_cert_error_string(why)
                 + "); name the one that made it with --tls-ca");
}

} // namespace

Result<std::shared_ptr<Credentials>> Credentials::load(const TlsConfig& files) {
  std::shared_ptr<Credentials> result{new Credentials{files}};
  if (auto good = result->reload(); !good)
    return std::move(good).error();
  return result;
}

std::shared_ptr<Credentials>
Credentials::for_application(const AppId& id, const ApplicationSecret& secret) {
  std::shared_ptr<Credentials> result{new Credentials{TlsConfig{}}};
  result->application_ = id;
  result->context_ = application_peer_context(id, secret);
  result->identity_ = Identity{id.value, Role::executor};
  return result;
}

Status Credentials::reload() {
  if (application_)
    return {};
  auto context = read_context(files_);
  if (!context)
    return std::move(context).error();
  auto* certificate = SSL_CTX_get0_certificate((*context)->native_handle());
  if (X509_cmp_current_time(X509_get0_notAfter(certificate)) < 0)
    return invalid("the certificate " + files_.certificate
                   + " has expired; make another with 'stoker certs'");
  if (auto known = check_signature((*context)->native_handle(), files_); !known)
    return known;
  auto identity = identity_of(certificate);
  std::lock_guard guard{mutex_};
  // Nobody would know this process any more.
  if (identity_ && (!identity || identity->role != identity_->role))
    return invalid("the certificate " + files_.certificate + " is that of "
                   + (identity ? to_string(*identity) : "nobody")
                   + ", and was that of " + to_string(*identity_));
  context_ = *std::move(context);
  identity_ = identity ? std::optional{*std::move(identity)} : std::nullopt;
  return {};
}

std::optional<Identity> Credentials::identity() const {
  std::lock_guard guard{mutex_};
  return identity_;
}

std::shared_ptr<Credentials::Context> Credentials::context() const {
  std::lock_guard guard{mutex_};
  return context_;
}

} // namespace stoker
