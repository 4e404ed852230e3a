// JSON whose values know where they stand: tools/stoker/located_json.hpp.

#include "tools/stoker/located_json.hpp"

#include <string>

#include "tests/support/catch.hpp"
#include "tests/support/problem.hpp"
#include "tools/stoker/spelling.hpp"

using namespace stoker;

namespace {

LocatedJson json_of(std::string_view text) {
  auto result = parse_located_json(text, "a.json");
  INFO(test::problem_in(result));
  REQUIRE(result);
  return *result;
}

/// What is wrong, without the file's name.
std::string json_problem(const std::string& text,
                         const LocatedJsonLimits& limits = {}) {
  auto message = test::problem_in(parse_located_json(text, "a.json", limits));
  INFO(text);
  REQUIRE(message.starts_with("a.json:"));
  CHECK(message.find('\n') == std::string::npos);
  return message.substr(7);
}

} // namespace

TEST_CASE("values and keys know their line and column", "[located_json]") {
  auto root = json_of("\n {\"a\": [1,\n  -2.50],\n\n  \"b\":\n{\"c\":\"x\"}, "
                      "\"d\"  : true,\"e\":null}\n");
  CHECK(root.place == TextPlace{2, 2});
  const auto& members = *root.as<LocatedJson::Object>();
  REQUIRE(members.size() == 4);
  CHECK(members[0].key == "a");
  CHECK(members[0].place == TextPlace{2, 3});
  CHECK(members[0].value.place == TextPlace{2, 8});
  const auto& array = *members[0].value.as<LocatedJson::Array>();
  REQUIRE(array.size() == 2);
  CHECK(array[0].place == TextPlace{2, 9});
  CHECK(array[1].place == TextPlace{3, 3});
  CHECK(members[1].place == TextPlace{5, 3});
  CHECK(members[1].value.place == TextPlace{6, 1});
  const auto& inner = *members[1].value.as<LocatedJson::Object>();
  CHECK(inner.at(0).value.place == TextPlace{6, 6});
  CHECK(members[2].place == TextPlace{6, 12});
  CHECK(members[2].value.place == TextPlace{6, 19});
  CHECK(members[3].value.place == TextPlace{6, 28});
}

TEST_CASE("numbers keep the text that was written", "[located_json]") {
  auto number
      = [](std::string_view text) { return *json_of(text).as<JsonNumber>(); };
  CHECK(number("42").whole == 42);
  CHECK(number(" 42 ").text == "42");
  CHECK(number("-7").whole == -7);
  CHECK(number("9223372036854775807").is_whole);
  CHECK_FALSE(number("9223372036854775808").is_whole);
  CHECK(number("9223372036854775808").text == "9223372036854775808");
  CHECK_FALSE(number("1.50").is_whole);
  CHECK(number("1.50").text == "1.50");
  CHECK(number("1.50").value == 1.5);
  CHECK(number("1e3").text == "1e3");
}

TEST_CASE("strings are taken with all that is escaped in them",
          "[located_json]") {
  CHECK(*json_of(R"("a\n\"\\\u00e9\ud83d\ude00")").as<std::string>()
        == "a\n\"\\\xc3\xa9\xf0\x9f\x98\x80");
  CHECK(*json_of(R"("[{,:}]")").as<std::string>() == "[{,:}]");
  auto keyed = json_of(R"({"a\"b": false, "": null})");
  const auto& members = *keyed.as<LocatedJson::Object>();
  CHECK(members[0].key == "a\"b");
  CHECK_FALSE(*members[0].value.as<bool>());
  CHECK(members[1].value.as<std::monostate>() != nullptr);
}

TEST_CASE("what is no JSON is told with line and column", "[located_json]") {
  auto [text, problem] = GENERATE(table<std::string, std::string>({
      {"", "1: this is not JSON: it ends too early, column 1"},
      {" \n\n", "1: this is not JSON: it ends too early, column 1"},
      {"{\n\"a\": 1\n\n", "2: this is not JSON: it ends too early, column 7"},
      {"[1,\n2,\n]",
       "3: this is not JSON: a comma stands before ']', column 1"},
      {"{\"a\": 1, }",
       "1: this is not JSON: a comma stands before '}', column 10"},
      {"[1\n \"x\"]", "2: this is not JSON: unexpected '\"', column 2"},
      {"{'a': 1}", "1: this is not JSON: unexpected ''', column 2"},
      {"{a: 1}", "1: this is not JSON: unexpected 'a', column 2"},
      {"{\"a\" 1}", "1: this is not JSON: unexpected '1', column 6"},
      {"[True]", "1: this is not JSON: unexpected 'T', column 2"},
      {"[1] [2]", "1: this is not JSON: unexpected '[', column 5"},
      {"[1]]", "1: this is not JSON: unexpected ']', column 4"},
      {"// a\n[]", "1: this is not JSON: unexpected '/', column 1"},
  }));
  CHECK(json_problem(text) == problem);
}

TEST_CASE("damaged strings are told with their line", "[located_json]") {
  for (const std::string text :
       {"\n\"a", "\n[\"a\n\"]", "\n[\"\\q\"]", "\n[\"\\ud800\"]",
        "\n[\"\xff\"]", "\n[\"a\tb\"]", "\n[\"\\", "\n[01]", "\n[1.]",
        "\n[nul]"}) {
    INFO(text);
    CHECK(json_problem(text).starts_with("2: this is not JSON: "));
  }
}

TEST_CASE("a key that is there twice is an error where it is repeated",
          "[located_json]") {
  CHECK(json_problem("{\"a\": 1,\n\"b\": {\"a\": 1},\n\"a\": 2}")
        == "3: the key 'a' is there twice");
  CHECK(json_problem("{\"a\": 1,\n\"\\u0061\": 2}")
        == "2: the key 'a' is there twice");
  CHECK(json_problem("{\"x\\ny\": 1, \"x\\ny\": 2}")
        == "1: the key 'x?y' is there twice");
}

TEST_CASE("texts beyond the limits are refused", "[located_json]") {
  LocatedJsonLimits limits;
  limits.bytes = 20;
  limits.depth = 3;
  limits.values = 5;
  CHECK(json_problem(std::string(21, ' '), limits)
        == "1: it is larger than 20 bytes");
  CHECK(json_problem("[[\n[[]]]]", limits)
            .starts_with(
                "2: arrays and objects stand in one another more than 3 deep"));
  CHECK(json_problem("[1,\n2,3,4,5]", limits)
        == "2: it has more than 5 values");
  CHECK(parse_located_json("[[[1]]]", "a.json", limits));
  CHECK(parse_located_json("[1,2,3,4]", "a.json", limits));
  auto deep = std::string(1'000'000, '[');
  CHECK(json_problem(deep).starts_with("1: arrays and objects stand"));
}

TEST_CASE("messages are short, whatever a key is", "[located_json]") {
  auto key = "\"" + std::string(100'000, 'k') + "\": 1";
  CHECK(json_problem("{" + key + "," + key + "}").size() < 1100);
}

TEST_CASE("a word is taken for one that differs by a few letters",
          "[spelling]") {
  const std::vector<std::string_view> words{"shuffle", "stages", "env", "from"};
  CHECK(did_you_mean("shufle", words) == " (did you mean 'shuffle'?)");
  CHECK(did_you_mean("shuffel", words) == " (did you mean 'shuffle'?)");
  CHECK(did_you_mean("stage", words) == " (did you mean 'stages'?)");
  CHECK(did_you_mean("form", words) == " (did you mean 'from'?)");
  CHECK(did_you_mean("evn", words) == " (did you mean 'env'?)");
  CHECK(did_you_mean("x", words).empty());
  CHECK(did_you_mean("", words).empty());
  CHECK(did_you_mean("retries", words).empty());
  CHECK(did_you_mean(std::string(100'000, 'e'), words).empty());
}
