#include "network/owner_credentials.hpp"

#include <sys/stat.h>

#include <ctime>
#include <filesystem>
#include <future>
#include <memory>
#include <vector>

#include <openssl/bio.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include "network/credentials.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace stoker;
using namespace stoker::test;

namespace {

namespace fs = std::filesystem;

std::string problem_of(const std::string& directory) {
  auto result = owner_credentials(directory, Role::node);
  return result ? "" : result.error().message;
}

} // namespace

TEST_CASE("the first call makes an owner's credentials, closed to others",
          "[network]") {
  TemporaryDirectory home;
  auto state = home.path("a/b/stoker");
  auto before = ::umask(0);
  auto node = owner_credentials(state, Role::node);
  auto owner = owner_credentials(state, Role::operator_);
  ::umask(before);
  REQUIRE(node);
  REQUIRE(owner);
  CHECK_FALSE(node->names_hosts);
  auto loaded = Credentials::load(*node);
  REQUIRE(loaded);
  CHECK(Credentials::load(*owner));
  // Logs say whose it is.
  auto identity = (*loaded)->identity();
  REQUIRE(identity);
  CHECK(identity->role == Role::node);
  CHECK(identity->name.size() > std::string{"@localhost"}.size());
  CHECK(identity->name.ends_with("@localhost"));
  CHECK(node->authority == owner->authority);
  for (const auto& x : fs::recursive_directory_iterator{home.path("a")})
    CHECK(mode_of(x.path()) == (x.is_directory() ? 0700 : 0600));
  CHECK(mode_of(home.path("a")) == 0700);
  // Nobody can be added.
  std::size_t files = 0;
  for (const auto& x : fs::directory_iterator{state + "/credentials"})
    files += x.is_regular_file() ? 1 : 0;
  CHECK(files == 5);
}

TEST_CASE(
    "an owner's credentials are valid when the clock is set back by years",
    "[network]") {
  TemporaryDirectory home;
  auto made = owner_credentials(home.path("state"), Role::node);
  REQUIRE(made);
  constexpr int years_back = 9 * 365;
  for (const auto& file : {made->certificate, made->authority}) {
    std::unique_ptr<BIO, decltype(&BIO_free)> in{
        BIO_new_file(file.c_str(), "r"), BIO_free};
    REQUIRE(in);
    std::unique_ptr<X509, decltype(&X509_free)> x{
        PEM_read_bio_X509(in.get(), nullptr, nullptr, nullptr), X509_free};
    REQUIRE(x);
    auto then = std::time(nullptr) - std::time_t{years_back} * 24 * 3600;
    CHECK(X509_cmp_time(X509_get0_notBefore(x.get()), &then) < 0);
  }
}

TEST_CASE("an owner's credentials stay as they are", "[network]") {
  TemporaryDirectory home;
  auto first = owner_credentials(home.path("state"), Role::node);
  REQUIRE(first);
  auto made = fs::last_write_time(first->certificate);
  REQUIRE(owner_credentials(home.path("state"), Role::node));
  CHECK(fs::last_write_time(first->certificate) == made);
}

TEST_CASE("processes that start at once share an owner's credentials",
          "[network]") {
  TemporaryDirectory home;
  std::vector<std::future<bool>> all;
  for (int i = 0; i < 8; ++i)
    all.push_back(std::async(std::launch::async, [&] {
      auto x = owner_credentials(home.path("state"), Role::node);
      return x && Credentials::load(*x);
    }));
  for (auto& x : all)
    CHECK(x.get());
  // Nothing half made is left.
  CHECK(std::distance(fs::directory_iterator{home.path("state")}, {}) == 1);
}

TEST_CASE("credentials that others may read or replace are not used",
          "[network]") {
  TemporaryDirectory home;
  auto state = home.path("state");
  REQUIRE(owner_credentials(state, Role::node));
  SECTION("read") {
    REQUIRE(::chmod((state + "/credentials").c_str(), 0750) == 0);
    CHECK(problem_of(state).find("chmod 700 " + state + "/credentials")
          != std::string::npos);
  }
  SECTION("replace") {
    REQUIRE(::chmod(state.c_str(), 0777) == 0);
    CHECK(problem_of(state).find("chmod 700 " + state) != std::string::npos);
  }
  SECTION("put there") {
    fs::rename(state + "/credentials", home.path("elsewhere"));
    fs::create_directory_symlink(home.path("elsewhere"),
                                 state + "/credentials");
    CHECK(problem_of(state).find("is not a directory of yours")
          != std::string::npos);
  }
}

TEST_CASE("a state directory that cannot be made is told", "[network]") {
  CHECK(problem_of("/proc/nothing/here").find("XDG_STATE_HOME")
        != std::string::npos);
}
