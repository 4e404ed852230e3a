// The environment of a process and of its programs: embedding/inherited_environment.hpp,
// machine.hpp.

#include <stdlib.h>

#include "embedding/inherited_environment.hpp"
#include "embedding/machine.hpp"
#include "tests/support/catch.hpp"

using namespace stoker;

namespace {

/// A variable of this process while the object lives.
class Variable {
public:
  Variable(const char* name, const char* value) : name_(name) {
    ::setenv(name, value, 1);
  }
  ~Variable() {
    ::unsetenv(name_);
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

private:
  const char* name_;
};

} // namespace

TEST_CASE("programs inherit no variable of Stoker's own", "[machine]") {
  Variable key{"STOKER_TLS_KEY", "/secret/key.pem"};
  Variable token{"STOKER_TOKEN", "secret"};
  for (const auto& [name, value] : inherited_environment({"ALL"}))
    CHECK_FALSE(name.starts_with("STOKER_"));
}

TEST_CASE("programs inherit a variable when it is usual or passed on",
          "[machine]") {
  Variable key{"AWS_SECRET_ACCESS_KEY", "secret"};
  Variable proxy{"PROXY_FOR_TESTS", "http://me:secret@proxy"};
  Variable java{"JAVA_HOME", "/java"};
  Variable locale{"LC_TIME", "C"};
  auto by_default = inherited_environment();
  CHECK(by_default.contains("PATH"));
  CHECK(by_default.at("JAVA_HOME") == "/java");
  CHECK(by_default.at("LC_TIME") == "C");
  CHECK_FALSE(by_default.contains("AWS_SECRET_ACCESS_KEY"));
  CHECK_FALSE(by_default.contains("PROXY_FOR_TESTS"));
  auto named = inherited_environment({"AWS_SECRET_ACCESS_KEY", "PROXY*"});
  CHECK(named.at("AWS_SECRET_ACCESS_KEY") == "secret");
  CHECK(named.contains("PROXY_FOR_TESTS"));
  CHECK(named.size() == by_default.size() + 2);
  CHECK_FALSE(
      inherited_environment({"AWS_SECRET"}).contains("AWS_SECRET_ACCESS_KEY"));
  CHECK(inherited_environment({"ALL"}).contains("AWS_SECRET_ACCESS_KEY"));
}

TEST_CASE("a variable to pass on is refused when it is no name of one",
          "[machine]") {
  for (const auto* name : {"NAME", "PREFIX_*", "ALL", "_"})
    CHECK(check_passed_variable(name));
  for (const auto* name :
       {"", "*", "A*B", "**", "A,B", "STOKER_TOKEN", "STOKER_*"})
    CHECK_FALSE(check_passed_variable(name));
  auto with_value = check_passed_variable("TOKEN=secret");
  REQUIRE_FALSE(with_value);
  CHECK(with_value.error().message.find("secret") == std::string::npos);
}

TEST_CASE(
    "credentials have the list of revoked certificates of the environment "
    "when they name none",
    "[machine]") {
  Variable list{"STOKER_TLS_REVOKED", "/lists/revoked.txt"};
  TlsConfig certificates{"c.pem", "k.pem", "ca.pem"};
  CHECK(with_revoked_list(certificates).revoked == "/lists/revoked.txt");
  certificates.revoked = "other.txt";
  CHECK(with_revoked_list(certificates).revoked == "other.txt");
  CHECK_FALSE(with_revoked_list({}).enabled());
}
