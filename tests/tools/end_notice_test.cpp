// What is told of an end, and where: tools/stoker/end_notice.hpp.

#include "tools/stoker/end_notice.hpp"

#include <map>
#include <string>

#include <boost/json.hpp>

#include "tests/support/catch.hpp"

using namespace stoker;

namespace {

boost::json::object notice(const std::map<std::string, std::string>& values) {
  auto text = end_notice([&](const char* name) {
    auto i = values.find(name);
    return i == values.end() ? nullptr : i->second.c_str();
  });
  REQUIRE(text);
  return boost::json::parse(*text).as_object();
}

} // namespace

TEST_CASE("an end is told with all that is known of it, and as one line") {
  auto told = notice({{"STOKER_ENDED_ID", "driver-1"},
                      {"STOKER_ENDED_NAME", "nightly"},
                      {"STOKER_ENDED_STATE", "FAILED"},
                      {"STOKER_ENDED_EXIT_STATUS", "3"},
                      {"STOKER_ENDED_MESSAGE", "the disk is full"}});
  CHECK(told.at("id") == "driver-1");
  CHECK(told.at("name") == "nightly");
  CHECK(told.at("state") == "FAILED");
  CHECK(told.at("succeeded") == false);
  CHECK(told.at("exit_status") == 3);
  CHECK(told.at("message") == "the disk is full");
  CHECK(told.at("text")
        == "nightly (driver-1) has ended as FAILED, exit code 3: the disk is "
           "full");
}

TEST_CASE("what is not known of an end is null") {
  auto told = notice({{"STOKER_ENDED_ID", "app-1"},
                      {"STOKER_ENDED_STATE", "FINISHED"},
                      {"STOKER_ENDED_EXIT_STATUS", "0x"}});
  CHECK(told.at("succeeded") == true);
  CHECK(told.at("exit_status").is_null());
  CHECK(told.at("message").is_null());
  CHECK(told.at("text") == "(app-1) has ended as FINISHED");
  CHECK_FALSE(end_notice([](const char*) -> const char* { return nullptr; }));
}

TEST_CASE("names and messages that are no UTF-8 make no broken JSON") {
  auto told = notice({{"STOKER_ENDED_ID", "app-1"},
                      {"STOKER_ENDED_NAME", "a\xff\"b"},
                      {"STOKER_ENDED_STATE", "KILLED"}});
  CHECK(told.at("name").as_string().find('\xff') == std::string::npos);
}

TEST_CASE("what is told of an end is one line, whatever it is named") {
  auto told = notice({{"STOKER_ENDED_ID", "app-1"},
                      {"STOKER_ENDED_NAME", "two\nlines"},
                      {"STOKER_ENDED_MESSAGE", "and\r\nmore\x1b[2J"},
                      {"STOKER_ENDED_STATE", "KILLED"}});
  CHECK(told.at("name") == "two\nlines");
  CHECK(told.at("text")
        == "two?lines (app-1) has ended as KILLED: and??more?[2J");
}

TEST_CASE("where to post is an address of the web, and nothing else") {
  auto plain = parse_notice_address("http://ops/");
  REQUIRE(plain);
  CHECK(*plain == NoticeAddress{{false, {"ops", 80}}, "/"});
  CHECK(*parse_notice_address("https://chat.example/hooks/T1?x=1")
        == NoticeAddress{{true, {"chat.example", 443}}, "/hooks/T1?x=1"});
  CHECK(*parse_notice_address("http://[::1]:9000?x")
        == NoticeAddress{{false, {"::1", 9000}}, "/?x"});
  for (const auto* wrong :
       {"", "ops", "ftp://ops/", "http://", "http://ops:0x/", "http://a@b/",
        "http://ops/a b", "http://ops/\r\nHost: x", "https://ops:99999/"}) {
    INFO(wrong);
    auto refused = parse_notice_address(wrong);
    REQUIRE(refused.code() == Errc::invalid_request);
  }
  // Who knows the path may post.
  CHECK(parse_notice_address("http://ops/secret path")
            .error()
            .message.find("secret")
        == std::string::npos);
}
