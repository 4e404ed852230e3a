// What both sides of a connection say first: network/greeting.hpp.

#include "network/greeting.hpp"

#include "tests/support/catch.hpp"

using namespace stoker;

namespace {

const Greeting ours{"0.2.0", "5c1d7a90e3f2b846"};

std::string without_newline(std::string line) {
  REQUIRE(line.ends_with('\n'));
  line.pop_back();
  return line;
}

} // namespace

TEST_CASE("a greeting is read as it was written", "[greeting]") {
  CHECK(to_line(ours) == "STOKER 1 0.2.0 5c1d7a90e3f2b846\n");
  CHECK(*parse_greeting(without_newline(to_line(ours))) == ours);
  auto own = own_greeting();
  CHECK(*parse_greeting(without_newline(to_line(own))) == own);
  CHECK(to_line(own).size() <= greeting_bytes_max);
}

TEST_CASE("words that later versions add are passed over", "[greeting]") {
  CHECK(*parse_greeting("STOKER 1 0.2.0 5c1d7a90e3f2b846 more words") == ours);
}

TEST_CASE("a refusal arrives with its reason", "[greeting]") {
  auto line = refusal_line("too many connections");
  auto result = parse_greeting(without_newline(line));
  REQUIRE_FALSE(result);
  CHECK(result.error().code == Errc::refused);
  CHECK(result.error().message == "too many connections");
  auto strange = refusal_line("a\nb\x1b[1m" + std::string(1000, 'c'));
  CHECK(strange.size() == greeting_bytes_max);
  auto reason = parse_greeting(without_newline(strange)).error().message;
  CHECK(reason.starts_with("ab[1mccc"));
}

TEST_CASE("what is no greeting is not taken for one", "[greeting]") {
  for (const std::string line :
       {"", "HTTP/1.1 400 Bad Request", "STOKER", "STOKER 2 0.2.0 1",
        "STOKER 1 ", "STOKER 1 0.2.0", "STOKER 1 0.2.0 ", "STOKER 1  1",
        "STOKER 1 0.2.0 \x1b[2J", "\x16\x03\x01\x02"}) {
    INFO(line);
    auto result = parse_greeting(line);
    REQUIRE_FALSE(result);
    CHECK(result.error().code == Errc::invalid_request);
  }
  CHECK_FALSE(parse_greeting("STOKER 1 0.2.0 " + std::string(300, 'x')));
}

TEST_CASE(
    "builds whose messages differ are told apart, whatever they are called",
    "[greeting]") {
  CHECK(check_greeting(ours, ours, "the master"));
  CHECK(check_greeting(ours, {"0.2.1", ours.messages}, "the master"));
  auto other = check_greeting(ours, {"0.3.0", "1"}, "the master");
  REQUIRE_FALSE(other);
  CHECK(other.error().message
        == "the master is Stoker 0.3.0, and this is 0.2.0: install the same "
           "version on both");
  auto build = check_greeting(ours, {"0.2.0", "1"}, "the master");
  REQUIRE_FALSE(build);
  CHECK(
      build.error().message
      == "the master is another build of Stoker 0.2.0, whose messages differ: "
         "install the same build on both");
}
