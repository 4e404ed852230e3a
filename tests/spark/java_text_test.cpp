#include "spark/java_text.hpp"

#include <string>
#include <utility>

#include "tests/support/catch.hpp"

namespace stoker::spark::test {

using namespace std::string_literals;

TEST_CASE("text goes to Java and back") {
  auto x = GENERATE(values<std::pair<std::string, std::string>>({
      {"", ""},
      {"Master", "Master"},
      {"K\u00f6ln", "K\xc3\xb6ln"},
      {"\u20ac", "\xe2\x82\xac"},
      {"a\0b"s, "a\xc0\x80"
                "b"},
      // A pair of surrogates, each of three bytes.
      {"\xf0\x9f\x98\x80", "\xed\xa0\xbd\xed\xb8\x80"},
      {"\xf4\x8f\xbf\xbf!", "\xed\xaf\xbf\xed\xbf\xbf!"},
  }));
  CHECK(to_modified_utf8(x.first) == x.second);
  CHECK(to_utf8(x.second) == x.first);
  CHECK(is_modified_utf8(x.second));
}

TEST_CASE("single surrogates are read, and become the sign for no character") {
  for (const auto* text :
       {"\xed\xa0\xbd", "\xed\xb8\x80", "\xed\xb8\x80\xed\xa0\xbd"}) {
    CHECK(is_modified_utf8(text));
    CHECK(to_utf8(text).starts_with("\ufffd"));
  }
  CHECK(to_utf8("\xed\xa0\xbdx") == "\ufffdx");
}

TEST_CASE("what Java cannot read is no modified UTF-8") {
  for (const auto* text : {"\x80", "\xc3", "\xe2\x82", "\xe2\x82x",
                           "\xf0\x9f\x98\x80", "\xff", "abc\xc3"})
    CHECK_FALSE(is_modified_utf8(text));
}

TEST_CASE("bytes that are no UTF-8 become the sign for no character") {
  CHECK(to_modified_utf8("a\xff"
                         "b")
        == "a\xef\xbf\xbd"
           "b");
  // Longer than needed; a surrogate; beyond the last character.
  for (const auto* text : {"\xc1\x81", "\xed\xa0\xbd", "\xf4\x90\x80\x80"})
    CHECK(to_modified_utf8(text).starts_with("\xef\xbf\xbd"));
}

} // namespace stoker::spark::test
