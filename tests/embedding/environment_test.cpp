// The environment of a process and of its programs: embedding/machine.hpp.

#include <stdlib.h>

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
  Variable other{"TEST_OF_ENVIRONMENT", "kept"};
  auto environment = inherited_environment();
  CHECK(environment.at("TEST_OF_ENVIRONMENT") == "kept");
  for (const auto& [name, value] : environment)
    CHECK_FALSE(name.starts_with("STOKER_"));
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
