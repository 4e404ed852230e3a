// Checks of TLS files, before CAF would fail on them without a reason.

#include "network/tls_config.hpp"

#include <memory>
#include <utility>

#include <openssl/err.h>
#include <openssl/ssl.h>

namespace stoker {

namespace {

std::string last_reason() {
  auto code = ERR_peek_last_error();
  const auto* reason = ERR_reason_error_string(code);
  ERR_clear_error();
  return reason != nullptr ? reason : "not a readable PEM file";
}

Error wrong(std::string what) {
  return {Errc::invalid_request, std::move(what)};
}

} // namespace

Status validate(const TlsConfig& config) {
  if (config.certificate.empty() && config.key.empty()
      && config.authority.empty())
    return {};
  if (config.certificate.empty() || config.key.empty()
      || config.authority.empty())
    return wrong("TLS needs all of --tls-cert, --tls-key and --tls-ca");
  std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> context{
      SSL_CTX_new(TLS_method()), SSL_CTX_free};
  if (SSL_CTX_use_certificate_chain_file(context.get(),
                                         config.certificate.c_str())
      != 1)
    return wrong("cannot use the certificate " + config.certificate + ": "
                 + last_reason());
  if (SSL_CTX_use_PrivateKey_file(context.get(), config.key.c_str(),
                                  SSL_FILETYPE_PEM)
      != 1)
    return wrong("cannot use the key " + config.key + ": " + last_reason());
  if (SSL_CTX_load_verify_locations(context.get(), config.authority.c_str(),
                                    nullptr)
      != 1)
    return wrong("cannot use the authority " + config.authority + ": "
                 + last_reason());
  return {};
}

} // namespace stoker
