// Where masters listen: network/address.hpp.

#include "network/address.hpp"

#include "tests/support/catch.hpp"

using namespace stoker;

namespace {

using Addresses = std::vector<MasterAddress>;

std::string problem_with(const std::string& url) {
  auto result = parse_master_url(url);
  return result ? "" : result.error().message;
}

Addresses addresses_in(const std::string& url) {
  INFO(url);
  auto result = parse_master_url(url);
  REQUIRE(result);
  return *result;
}

} // namespace

TEST_CASE("a master's address is a host and a port", "[address]") {
  CHECK(addresses_in("stoker://m1:8080") == Addresses{{"m1", 8080}});
  CHECK(addresses_in("stoker://m1") == Addresses{{"m1", 7070}});
  CHECK(addresses_in("stoker://10.0.0.1:1") == Addresses{{"10.0.0.1", 1}});
  CHECK(addresses_in("stoker://m1:65535") == Addresses{{"m1", 65535}});
}

TEST_CASE("an IPv6 address stands in brackets", "[address]") {
  CHECK(addresses_in("stoker://[::1]:8080") == Addresses{{"::1", 8080}});
  CHECK(addresses_in("stoker://[fe80::1]") == Addresses{{"fe80::1", 7070}});
  CHECK(addresses_in("stoker://[fe80::1%eth0]:1")
        == Addresses{{"fe80::1%eth0", 1}});
}

TEST_CASE("several masters are separated by commas", "[address]") {
  CHECK(addresses_in("stoker://m1:1,m2,[::1]:3")
        == Addresses{{"m1", 1}, {"m2", 7070}, {"::1", 3}});
}

TEST_CASE("what is no address is refused, with an example", "[address]") {
  for (const auto* url : {"",
                          "m1:7070",
                          "stoker:/m1",
                          "spark://m1:7077",
                          "stoker://",
                          "stoker://:7070",
                          "stoker://m1:",
                          "stoker://m1:0",
                          "stoker://m1:65536",
                          "stoker://m1:-1",
                          "stoker://m1:70x",
                          "stoker://m1:7070/",
                          "stoker://m1,",
                          "stoker://,m1",
                          "stoker://m1,,m2",
                          "stoker://::1",
                          "stoker://[m1]",
                          "stoker://[[03],>1",
                          "stoker://[fe80::1%]",
                          "stoker://m 1",
                          "stoker://m1\x1b[31m",
                          "stoker://fe80::1",
                          "stoker://[::1",
                          "stoker://[]:1",
                          "stoker://[::1]7070",
                          "stoker://a:b:1"}) {
    INFO(url);
    CHECK(problem_with(url)
          == "'" + std::string{url}
                 + "' is not a master's address; write stoker://HOST:PORT");
  }
}

TEST_CASE("an address reads back as it was written", "[address]") {
  for (const auto& x : {MasterAddress{"m1", 1}, MasterAddress{"::1", 7070}}) {
    INFO(to_string(x));
    CHECK(addresses_in(to_string(x)) == Addresses{x});
  }
}

TEST_CASE("only what no other machine can reach is loopback", "[address]") {
  for (const auto* host : {"localhost", "127.0.0.1", "127.1.2.3", "::1"}) {
    INFO(host);
    CHECK(is_loopback(host));
  }
  for (const auto* host :
       {"", "0.0.0.0", "10.0.0.1", "128.0.0.1", "::", "::2", "example.org",
        "localhost.example.org", "127.example.org", "::ffff:10.0.0.1"}) {
    INFO(host);
    CHECK_FALSE(is_loopback(host));
  }
}
