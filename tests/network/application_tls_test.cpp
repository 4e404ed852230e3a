// Handshakes in memory, without a network.

#include "network/application_tls.hpp"

#include <map>
#include <memory>
#include <string>
#include <type_traits>

#include <openssl/bio.h>
#include <openssl/ssl.h>

#include "network/credentials.hpp"
#include "network/owner_credentials.hpp"
#include "tests/network/applications.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace stoker;
using namespace stoker::test;

namespace {

using Tls = std::unique_ptr<SSL, decltype(&SSL_free)>;

/// Both ends of a connection.
struct Ends {
  Tls client;
  Tls server;

  Ends(TlsContext& of_client, TlsContext& of_server)
      : client(SSL_new(of_client.native_handle()), SSL_free),
        server(SSL_new(of_server.native_handle()), SSL_free) {
    BIO* one = nullptr;
    BIO* two = nullptr;
    REQUIRE(BIO_new_bio_pair(&one, 0, &two, 0) == 1);
    SSL_set_bio(client.get(), one, one);
    SSL_set_bio(server.get(), two, two);
    SSL_set_connect_state(client.get());
    SSL_set_accept_state(server.get());
  }

  /// Returns whether both sides are content.
  bool shake_hands() {
    for (int i = 0; i < 10; ++i) {
      SSL_do_handshake(client.get());
      SSL_do_handshake(server.get());
    }
    return SSL_is_init_finished(client.get()) == 1
           && SSL_is_init_finished(server.get()) == 1;
  }
};

/// A server that knows some applications.
std::shared_ptr<TlsContext>
server_of(std::map<AppId, ApplicationSecret> secrets) {
  return application_server_context(
      [secrets](const AppId& id) -> std::optional<ApplicationSecret> {
        auto found = secrets.find(id);
        if (found == secrets.end())
          return std::nullopt;
        return found->second;
      });
}

template <class T>
concept Printable = requires(std::ostream& out, const T& x) {
  out << x;
}
|| requires(const T& x) {
  to_string(x);
};

} // namespace

TEST_CASE("a secret of an application is 32 bytes that differ", "[secret]") {
  auto one = new_secret();
  CHECK(one.reveal().size() == 64);
  CHECK(one == one);
  CHECK_FALSE(one == new_secret());
  auto again = ApplicationSecret::parse(one.reveal());
  REQUIRE(again);
  CHECK(*again == one);
}

TEST_CASE("what is no secret is refused, and not repeated", "[secret]") {
  auto text = GENERATE(std::string{}, std::string{"1234"}, std::string(64, 'g'),
                       std::string(64, 'A'), std::string(65, 'a'));
  auto refused = ApplicationSecret::parse(text);
  REQUIRE_FALSE(refused);
  CHECK(refused.code() == Errc::invalid_request);
  CHECK((text.empty()
         || refused.error().message.find(text) == std::string::npos));
}

TEST_CASE("a secret cannot be printed by accident", "[secret]") {
  STATIC_REQUIRE_FALSE(Printable<ApplicationSecret>);
}

TEST_CASE("who knows the secret is known by the application's id", "[psk]") {
  auto secret = new_secret();
  auto server = server_of({{words, secret}, {other_app, new_secret()}});
  auto client = application_client_context(words, secret);
  Ends ends{*client, *server};
  CHECK_FALSE(proven_application(ends.server.get()));
  REQUIRE(ends.shake_hands());
  CHECK(proven_application(ends.server.get()) == words);
  CHECK(proven_application(ends.client.get()) == words);
  CHECK(SSL_version(ends.client.get()) == TLS1_3_VERSION);
  // A key exchange of this connection alone.
  EVP_PKEY* exchanged = nullptr;
  REQUIRE(SSL_get_peer_tmp_key(ends.client.get(), &exchanged) == 1);
  EVP_PKEY_free(exchanged);
}

TEST_CASE("who does not know the secret is not let in", "[psk]") {
  auto secret = new_secret();
  auto server = server_of({{words, secret}});
  auto refused = [&](TlsContext& client) {
    Ends ends{client, *server};
    CHECK_FALSE(ends.shake_hands());
    CHECK_FALSE(proven_application(ends.server.get()));
    CHECK_FALSE(proven_application(ends.client.get()));
  };
  SECTION("with another secret") {
    refused(*application_client_context(words, new_secret()));
  }
  SECTION("as an application that is not known") {
    refused(*application_client_context(other_app, secret));
  }
  SECTION("without any, and with a certificate") {
    TemporaryDirectory directory;
    auto files = owner_credentials(directory.path("state"), Role::node);
    REQUIRE(files);
    auto credentials = Credentials::load(*files);
    REQUIRE(credentials);
    refused(*(*credentials)->context());
  }
  SECTION("with an older version of TLS") {
    auto client = application_client_context(words, secret);
    SSL_CTX_set_min_proto_version(client->native_handle(), TLS1_2_VERSION);
    SSL_CTX_set_max_proto_version(client->native_handle(), TLS1_2_VERSION);
    refused(*client);
  }
}

TEST_CASE("a server that does not know the secret is not trusted", "[psk]") {
  auto secret = new_secret();
  auto client = application_client_context(words, secret);
  auto refused = [&](TlsContext& server) {
    Ends ends{*client, server};
    CHECK_FALSE(ends.shake_hands());
    CHECK_FALSE(proven_application(ends.client.get()));
  };
  SECTION("it has another secret") {
    refused(*server_of({{words, new_secret()}}));
  }
  SECTION("it has a certificate") {
    TemporaryDirectory directory;
    auto files = owner_credentials(directory.path("state"), Role::node);
    REQUIRE(files);
    auto credentials = Credentials::load(*files);
    REQUIRE(credentials);
    SSL_CTX_set_verify((*credentials)->context()->native_handle(),
                       SSL_VERIFY_NONE, nullptr);
    refused(*(*credentials)->context());
  }
}
