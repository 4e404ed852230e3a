#include "network/application_tls.hpp"

#include <array>
#include <cassert>
#include <cstddef>
#include <string>
#include <utility>

#include <openssl/ssl.h>

namespace stoker {

namespace {

/// Longer ones are not looked up.
constexpr std::size_t psk_identity_max = 256;

/// TLS_AES_128_GCM_SHA256. A pre-shared key belongs to one hash; with a single
/// cipher nothing has to be chosen.
constexpr const char* psk_cipher = "TLS_AES_128_GCM_SHA256";
constexpr std::array<unsigned char, 2> psk_cipher_id{0x13, 0x01};

/// A server that verifies peers wants to know where a session, and so a key, is
/// from; both sides compare it.
constexpr std::array<unsigned char, 6> psk_context_id{'s', 't', 'o',
                                                      'k', 'e', 'r'};

/// What a context knows.
struct PskConfig {
  /// Of whoever connects.
  std::optional<AppId> id;
  std::optional<ApplicationSecret> secret;

  /// Of whoever listens.
  SecretLookup lookup;
};

void free_psk_config(void*, void* x, CRYPTO_EX_DATA*, int, long, void*) {
  delete static_cast<PskConfig*>(x);
}

void free_psk_application(void*, void* x, CRYPTO_EX_DATA*, int, long, void*) {
  delete static_cast<AppId*>(x);
}

int psk_config_index() {
  static const int index
      = SSL_CTX_get_ex_new_index(0, nullptr, nullptr, nullptr, free_psk_config);
  return index;
}

/// Of a connection: the application whose key it uses.
int psk_application_index() {
  static const int index = SSL_get_ex_new_index(0, nullptr, nullptr, nullptr,
                                                free_psk_application);
  return index;
}

const PskConfig& psk_config_of(SSL* connection) {
  auto* config = static_cast<PskConfig*>(
      SSL_CTX_get_ex_data(SSL_get_SSL_CTX(connection), psk_config_index()));
  assert(config != nullptr);
  return *config;
}

/// Null: memory is short.
SSL_SESSION* make_psk_session(SSL* connection,
                              const ApplicationSecret& secret) {
  auto* result = SSL_SESSION_new();
  const auto* cipher = SSL_CIPHER_find(connection, psk_cipher_id.data());
  if (result != nullptr && cipher != nullptr
      && SSL_SESSION_set1_master_key(result, secret.bytes().data(),
                                     secret.bytes().size())
             == 1
      && SSL_SESSION_set1_id_context(result, psk_context_id.data(),
                                     psk_context_id.size())
             == 1
      && SSL_SESSION_set_cipher(result, cipher) == 1
      && SSL_SESSION_set_protocol_version(result, TLS1_3_VERSION) == 1)
    return result;
  SSL_SESSION_free(result);
  return nullptr;
}

void remember_application(SSL* connection, const AppId& id) {
  auto index = psk_application_index();
  delete static_cast<AppId*>(SSL_get_ex_data(connection, index));
  SSL_set_ex_data(connection, index, new AppId{id});
}

int use_psk(SSL* connection, const EVP_MD*, const unsigned char** identity,
            std::size_t* identity_bytes, SSL_SESSION** session) {
  const auto& config = psk_config_of(connection);
  *session = make_psk_session(connection, *config.secret);
  if (*session == nullptr)
    return 0;
  *identity = reinterpret_cast<const unsigned char*>(config.id->value.data());
  *identity_bytes = config.id->value.size();
  remember_application(connection, *config.id);
  return 1;
}

/// Without a session the handshake goes on, and fails for want of a certificate:
/// who is not known is not told more than who has a wrong secret.
int find_psk(SSL* connection, const unsigned char* identity,
             std::size_t identity_bytes, SSL_SESSION** session) {
  *session = nullptr;
  if (identity_bytes == 0 || identity_bytes > psk_identity_max)
    return 1;
  AppId id{
      std::string{reinterpret_cast<const char*>(identity), identity_bytes}};
  auto secret = psk_config_of(connection).lookup(id);
  if (!secret)
    return 1;
  *session = make_psk_session(connection, *secret);
  if (*session == nullptr)
    return 0;
  remember_application(connection, id);
  return 1;
}

std::shared_ptr<TlsContext> make_psk_context(PskConfig config) {
  auto result = std::make_shared<TlsContext>(TlsContext::tls);
  auto* context = result->native_handle();
  SSL_CTX_set_min_proto_version(context, TLS1_3_VERSION);
  SSL_CTX_set_ciphersuites(context, psk_cipher);
  SSL_CTX_set_num_tickets(context, 0);
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_options(context, SSL_OP_NO_TICKET);
  // A server that shows a certificate instead has no authority that is known here.
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
  SSL_CTX_set_session_id_context(context, psk_context_id.data(),
                                 psk_context_id.size());
  if (config.id)
    SSL_CTX_set_psk_use_session_callback(context, use_psk);
  if (config.lookup)
    SSL_CTX_set_psk_find_session_callback(context, find_psk);
  SSL_CTX_set_ex_data(context, psk_config_index(),
                      new PskConfig{std::move(config)});
  return result;
}

} // namespace

std::shared_ptr<TlsContext>
application_client_context(const AppId& id, const ApplicationSecret& secret) {
  return make_psk_context({id, secret, nullptr});
}

std::shared_ptr<TlsContext> application_server_context(SecretLookup lookup) {
  assert(lookup);
  return make_psk_context({std::nullopt, std::nullopt, std::move(lookup)});
}

std::shared_ptr<TlsContext>
application_peer_context(const AppId& id, const ApplicationSecret& secret) {
  return make_psk_context({id, secret, [id, secret](const AppId& x) {
                             return x == id ? std::optional{secret}
                                            : std::nullopt;
                           }});
}

std::optional<AppId> proven_application(const SSL* connection) {
  // A key that was offered and not used proves nothing.
  if (SSL_is_init_finished(connection) != 1
      || SSL_session_reused(connection) != 1)
    return std::nullopt;
  const auto* id = static_cast<const AppId*>(
      SSL_get_ex_data(connection, psk_application_index()));
  return id != nullptr ? std::optional{*id} : std::nullopt;
}

} // namespace stoker
