// The configuration file of a user: tools/stoker/user_config.hpp.

#include "tools/stoker/user_config.hpp"

#include <filesystem>
#include <map>

#include "tests/support/catch.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace stoker;
using stoker::test::TemporaryDirectory;

namespace {

std::string place(const std::map<std::string, std::string>& variables) {
  return user_config_path([&](const char* name) -> const char* {
           auto i = variables.find(name);
           return i == variables.end() ? nullptr : i->second.c_str();
         })
      .string();
}

} // namespace

TEST_CASE("a user's configuration is where the XDG specification says") {
  CHECK(place({{"HOME", "/home/ann"}})
        == "/home/ann/.config/stoker/config.toml");
  CHECK(place({{"HOME", "/home/ann"}, {"XDG_CONFIG_HOME", "/etc/ann"}})
        == "/etc/ann/stoker/config.toml");
  CHECK(place({{"HOME", "/home/ann"}, {"XDG_CONFIG_HOME", "relative"}})
        == "/home/ann/.config/stoker/config.toml");
  CHECK(place({{"HOME", ""}}).empty());
  CHECK(place({}).empty());
}

TEST_CASE("a user need not have a configuration") {
  TemporaryDirectory directory;
  auto absent = read_user_config(directory.path("config.toml"));
  REQUIRE(absent);
  CHECK(absent->empty());
  CHECK(read_user_config({}));
}

TEST_CASE("a user's configuration that is a link to nothing is an error") {
  TemporaryDirectory directory;
  auto file = directory.path("config.toml");
  std::filesystem::create_symlink("nowhere", file);
  auto read = read_user_config(file);
  REQUIRE_FALSE(read);
  CHECK(read.error().message.find(file) != std::string::npos);
  CHECK(read.error().message.find("No such file") != std::string::npos);
  // As usual where the link leads somewhere.
  directory.write("nowhere", "retries = 1\n");
  read = read_user_config(file);
  REQUIRE(read);
  CHECK(read->size() == 1);
}

TEST_CASE("certificates that a user's configuration names are beside it") {
  TemporaryDirectory directory;
  auto file = directory.write("config.toml", "master = \"stoker://one:7070\"\n"
                                             "tls-cert = \"certs/ann.pem\"\n"
                                             "tls-ca = \"/etc/ca.pem\"\n");
  auto read = read_user_config(file);
  REQUIRE(read);
  REQUIRE(read->size() == 3);
  CHECK(read->at(0).value == "stoker://one:7070");
  CHECK(read->at(1).value == directory.path("certs/ann.pem"));
  CHECK(read->at(2).value == "/etc/ca.pem");
  CHECK(read->at(2).origin == file + ":3");
}

TEST_CASE("a user's configuration that is wrong is an error with its line") {
  TemporaryDirectory directory;
  auto file = directory.write("config.toml", "a = 1\nb =\n");
  auto read = read_user_config(file);
  REQUIRE_FALSE(read);
  CHECK(read.error().message.starts_with(file + ":2: "));
}
