// Addresses of pages of programs, and what their answers lead to.

#include "web/proxy_target.hpp"

#include <string>

#include "tests/support/catch.hpp"

using namespace stoker;
using boost::asio::ip::make_address;

namespace {

std::string led_to(const std::string& location, const std::string& front = "") {
  return location_here(location, "/jobs/job/",
                       {"http://127.0.0.1:4040", "/proxy/app-1", front})
      .value_or("nowhere");
}

} // namespace

TEST_CASE("a location stays below the proxy", "[web]") {
  CHECK(led_to("/jobs/") == "/proxy/app-1/jobs/");
  CHECK(led_to("/proxy/app-1/jobs/") == "/proxy/app-1/jobs/");
  CHECK(led_to("http://127.0.0.1:4040/jobs/?id=1")
        == "/proxy/app-1/jobs/?id=1");
  CHECK(led_to("../stages/") == "/proxy/app-1/jobs/stages/");
  CHECK(led_to("/a/./b/..") == "/proxy/app-1/a/");
  CHECK(led_to("/") == "/proxy/app-1/");
  CHECK(led_to("#end") == "/proxy/app-1/jobs/job/#end");
  CHECK(led_to("?id=2") == "/proxy/app-1/jobs/job/?id=2");
  CHECK(led_to("/jobs/", "https://node1/stoker")
        == "https://node1/stoker/proxy/app-1/jobs/");
}

TEST_CASE("a location elsewhere is refused", "[web]") {
  for (const auto* location :
       {"", "http://elsewhere/", "//elsewhere/", "/\\elsewhere/",
        "http://127.0.0.1/", "http://127.0.0.1:40400/", "javascript:alert(1)",
        "http://127.0.0.1:4040//elsewhere/", "/a b", "/\n", "/../x",
        "/proxy/app-1/../x", "/proxy/app-1/%2e%2E/x", "../../../x", "/%2e./x",
        "http://127.0.0.1:4040/../x"}) {
    INFO(location);
    CHECK(led_to(location) == "nowhere");
  }
  CHECK(led_to('/' + std::string(8 * 1024, 'x')) == "nowhere");
}

TEST_CASE("reserved addresses are known in each form", "[web]") {
  for (const auto* address :
       {"169.254.169.254", "::ffff:169.254.1.1", "64:ff9b::a9fe:a9fe",
        "fe80::1", "fe80::1%1", "fd00:ec2::254", "fd00:ec2::254%1",
        "fd00:ec2::23", "fd20:ce::254", "100.100.100.200", "168.63.129.16",
        "192.0.0.192", "0.0.0.0", "::", "224.0.0.1", "ff02::1",
        "255.255.255.255"}) {
    INFO(address);
    CHECK(is_reserved(plain_address(make_address(address))));
  }
  for (const auto* address : {"127.0.0.1", "::1", "10.0.0.1", "fd00::1"}) {
    INFO(address);
    CHECK_FALSE(is_reserved(plain_address(make_address(address))));
  }
}

TEST_CASE("addresses of this machine are told from others", "[web]") {
  for (const auto* address :
       {"127.0.0.1", "127.1.2.3", "::1", "::ffff:127.0.0.1"}) {
    INFO(address);
    CHECK(is_of_this_machine(plain_address(make_address(address))) == true);
  }
  CHECK(is_of_this_machine(make_address("192.0.2.1")) == false);
}
