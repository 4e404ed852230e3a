// What a process proves itself with, read again.

#include "network/credentials.hpp"

#include <fstream>

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

  void become(const Identity& who, int days = 10) {
    auto made = x509::make_member({who, {"localhost"}}, days, authority_);
    REQUIRE(made);
    write("own", x509::certificate_pem(*made));
    write("key", x509::key_pem(*made));
  }

  [[nodiscard]] TlsConfig files() const {
    return {path("own"), path("key"), path("ca")};
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
  CHECK((*credentials)->reload());
  CHECK((*credentials)->context() != before);
}

TEST_CASE("a certificate that has expired is told at the start", "[network]") {
  Member member;
  member.become({"m1", Role::node}, -1);
  auto credentials = Credentials::load(member.files());
  REQUIRE_FALSE(credentials);
  CHECK(credentials.error().message.find(" has expired") != std::string::npos);
}
