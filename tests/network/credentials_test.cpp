// What a process proves itself with, read again.

#include "network/credentials.hpp"

#include <fstream>

#include <openssl/x509v3.h>

#include "network/x509.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace stoker;
using namespace stoker::test;

namespace {

/// The files of a member of a cluster, which can be replaced.
class Member {
public:
  Member() {
    write("ca", x509::certificate_pem(authority_));
  }

  void become(const Identity& who, int days = 10, int backdated_days = 0) {
    auto made = x509::make_member({who, {"localhost"}}, days, authority_,
                                  backdated_days);
    REQUIRE(made);
    write("own", x509::certificate_pem(*made));
    write("key", x509::key_pem(*made));
  }

  /// By an authority that the root has signed.
  void become_through(const x509::KeyPair& root, const x509::KeyPair& between,
                      bool with_chain) {
    write("ca", x509::certificate_pem(root));
    auto made
        = x509::make_member({{"m1", Role::node}, {"localhost"}}, 10, between);
    REQUIRE(made);
    write("own", x509::certificate_pem(*made)
                     + (with_chain ? x509::certificate_pem(between) : ""));
    write("key", x509::key_pem(*made));
  }

  /// Replaces the file of authorities.
  void trust(const std::string& text) const {
    write("ca", text);
  }

  [[nodiscard]] std::string own_authority() const {
    return x509::certificate_pem(authority_);
  }

  [[nodiscard]] TlsConfig files() const {
    return {path("own"), path("key"), path("ca")};
  }

  [[nodiscard]] TlsConfig files_with_list() const {
    auto result = files();
    result.revoked = path("revoked");
    return result;
  }

  [[nodiscard]] std::string serial() const {
    return x509::read_certificate(path("own"))->serial;
  }

  void break_certificate() const {
    write("own", "no certificate\n");
  }

  /// Replaces the list of revoked certificates.
  void revoke(const std::string& text) const {
    write("revoked", text);
  }

  [[nodiscard]] std::string not_signed() const {
    return "the certificate " + path("own") + " is not signed by the authority "
           + path("ca") + " (";
  }

private:
  [[nodiscard]] std::string path(const std::string& name) const {
    return directory_.path(name);
  }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream{path(name)} << text;
  }

  TemporaryDirectory directory_;
  x509::KeyPair authority_ = *x509::make_authority("authority", 20);
};

/// An authority that may sign others.
x509::KeyPair authority_of(const std::string& name,
                           const x509::KeyPair* issuer) {
  auto result = *x509::make_authority(name, 20);
  auto* x = result.certificate.get();
  const auto& by = issuer != nullptr ? *issuer : result;
  // Its own one forbids authorities below it.
  auto at = X509_get_ext_by_NID(x, NID_basic_constraints, -1);
  REQUIRE(at >= 0);
  X509_EXTENSION_free(X509_delete_ext(x, at));
  auto* constraints = X509V3_EXT_conf_nid(
      nullptr, nullptr, NID_basic_constraints, "critical,CA:TRUE");
  REQUIRE(X509_add_ext(x, constraints, -1) == 1);
  X509_EXTENSION_free(constraints);
  REQUIRE(X509_set_issuer_name(x, X509_get_subject_name(by.certificate.get()))
          == 1);
  REQUIRE(X509_sign(x, by.key.get(), EVP_sha256()) > 0);
  return result;
}

} // namespace

TEST_CASE("credentials that are read again stay who they were", "[network]") {
  Member member;
  member.become({"m1", Role::node});
  auto credentials = Credentials::load(member.files());
  REQUIRE(credentials);
  auto before = (*credentials)->context();
  auto refused = [&](const std::string& why) {
    auto read = (*credentials)->reload();
    REQUIRE_FALSE(read);
    CHECK(read.error().message.find(why) != std::string::npos);
    CHECK((*credentials)->context() == before);
    CHECK((*credentials)->identity() == Identity{"m1", Role::node});
  };
  member.become({"ann", Role::user});
  refused(" is that of user ann, and was that of node m1");
  member.become({"m1", Role::node}, -1);
  refused(" has expired");
  member.become({"m1", Role::node});
  member.trust(x509::certificate_pem(*x509::make_authority("authority", 20)));
  refused(member.not_signed());
  member.trust(member.own_authority());
  CHECK((*credentials)->reload());
  CHECK((*credentials)->context() != before);
}

TEST_CASE("a certificate of another authority is told at the start",
          "[network]") {
  Member member;
  member.become({"m1", Role::node});
  auto other = x509::certificate_pem(*x509::make_authority("other", 20));
  member.trust(other);
  auto credentials = Credentials::load(member.files());
  REQUIRE_FALSE(credentials);
  const auto& message = credentials.error().message;
  CHECK(message.starts_with(member.not_signed()));
  CHECK(message.find('\n') == std::string::npos);
  // While an authority is replaced by another one.
  member.trust(other + member.own_authority());
  CHECK(Credentials::load(member.files()));
}

TEST_CASE("a certificate may be signed through others in its file",
          "[network]") {
  auto root = authority_of("root", nullptr);
  auto between = authority_of("between", &root);
  Member member;
  member.become_through(root, between, true);
  CHECK(Credentials::load(member.files()));
  member.become_through(root, between, false);
  auto credentials = Credentials::load(member.files());
  REQUIRE_FALSE(credentials);
  CHECK(credentials.error().message.starts_with(member.not_signed()));
}

TEST_CASE("a certificate that has expired is told at the start", "[network]") {
  Member member;
  member.become({"m1", Role::node}, -1);
  auto credentials = Credentials::load(member.files());
  REQUIRE_FALSE(credentials);
  CHECK(credentials.error().message.find(" has expired") != std::string::npos);
}

TEST_CASE("a device holds no certificates") {
  Member member;
  member.become({"m1", Role::node});
  for (auto file :
       {&TlsConfig::certificate, &TlsConfig::key, &TlsConfig::authority}) {
    auto files = member.files();
    files.*file = "/dev/null";
    auto loaded = Credentials::load(files);
    REQUIRE_FALSE(loaded);
    CHECK(loaded.error().message
          == "cannot use /dev/null for TLS: it is a device");
  }
}

TEST_CASE("credentials that are not valid yet name the clock", "[network]") {
  Member member;
  // Valid from a day ahead on.
  member.become({"m1", Role::node}, 10, -1);
  auto loaded = Credentials::load(member.files());
  REQUIRE_FALSE(loaded);
  CHECK(loaded.error().message.find(" is not valid before ")
        != std::string::npos);
  CHECK(loaded.error().message.find("set the clock") != std::string::npos);
}

TEST_CASE("credentials end connections of certificates that are revoked",
          "[network]") {
  Member member;
  member.become({"m1", Role::node});
  member.revoke("# one, and what openssl prints of another\n"
                "00:5a:0b  # user ann\nserial=0B\n\n");
  auto credentials = Credentials::load(member.files_with_list());
  INFO((credentials ? "" : credentials.error().message));
  REQUIRE(credentials);
  CHECK((*credentials)->are_revoked({"1", "5A0B"}));
  CHECK((*credentials)->are_revoked({"B"}));
  CHECK_FALSE((*credentials)->are_revoked({"5A"}));
  int ended = 0;
  int reloads = 0;
  auto watch
      = (*credentials)->end_when_revoked({"C0FFEE", "1"}, [&] { ++ended; });
  auto reload = (*credentials)->on_reload([&] { ++reloads; });
  auto refused = [&](const std::string& text, const std::string& why) {
    member.revoke(text);
    auto read = (*credentials)->reload();
    REQUIRE_FALSE(read);
    INFO(read.error().message);
    CHECK(read.error().message.find(why) != std::string::npos);
    CHECK(read.error().message.find('\n') == std::string::npos);
    CHECK((*credentials)->are_revoked({"B"}));
  };
  refused("C0FFEE\nno number\n",
          "revoked:2: 'no number' is not a serial number");
  refused(std::string(41, 'F') + "\n", "revoked:1: '");
  CHECK(ended == 0);
  CHECK(reloads == 0);
  member.revoke("c0:ff:ee\n");
  CHECK((*credentials)->reload());
  CHECK(ended == 1);
  CHECK(reloads == 1);
  CHECK_FALSE((*credentials)->are_revoked({"B"}));
  // One that comes after the list was read ends at once.
  auto late = (*credentials)->end_when_revoked({"C0FFEE"}, [&] { ++ended; });
  CHECK(ended == 2);
  watch.reset();
  late.reset();
  CHECK((*credentials)->reload());
  CHECK(ended == 2);
}

TEST_CASE("a list of revoked certificates counts when the own certificate "
          "cannot be read again",
          "[network]") {
  Member member;
  member.become({"m1", Role::node});
  member.revoke("B\n");
  auto credentials = Credentials::load(member.files_with_list());
  REQUIRE(credentials);
  auto before = (*credentials)->context();
  int ended = 0;
  auto watch = (*credentials)->end_when_revoked({"C0FFEE"}, [&] { ++ended; });
  std::string why;
  SECTION("it is revoked itself") {
    member.revoke("C0FFEE\n" + member.serial() + "\n");
    why = " is revoked by ";
  }
  SECTION("it has expired") {
    member.revoke("C0FFEE\n");
    member.become({"m1", Role::node}, -1);
    why = " has expired";
  }
  SECTION("its file is no certificate") {
    member.revoke("C0FFEE\n");
    member.break_certificate();
    why = "cannot use the certificate ";
  }
  auto read = (*credentials)->reload();
  REQUIRE_FALSE(read);
  CHECK(read.error().message.find(why) != std::string::npos);
  CHECK(read.error().message.ends_with("revoked counts"));
  CHECK((*credentials)->context() == before);
  CHECK((*credentials)->are_revoked({"C0FFEE"}));
  CHECK(ended == 1);
}

TEST_CASE("a list of revoked certificates has to be a file", "[network]") {
  Member member;
  member.become({"m1", Role::node});
  auto files = member.files();
  for (const auto* name : {"/no/such/list", "/dev/zero", "/tmp"}) {
    files.revoked = name;
    auto loaded = Credentials::load(files);
    REQUIRE_FALSE(loaded);
    CHECK(loaded.error().message.find(name) != std::string::npos);
  }
}
