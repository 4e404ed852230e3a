#include "messages/printable.hpp"

#include <string>

#include "tests/support/catch.hpp"

using namespace stoker;

TEST_CASE("what is UTF-8 stays as it is", "[printable]") {
  for (const auto* text :
       {"", "plain",
        "Gr\xc3\xbc\xc3\x9f"
        "e",
        "\xe2\x82\xac 5", "\xf0\x9f\x9a\x80", "\xf4\x8f\xbf\xbf",
        "\xed\x9f\xbf", "a\xef\xbf\xbd"}) {
    INFO(text);
    CHECK(as_utf8(text) == text);
    CHECK(printable(text) == text);
  }
}

TEST_CASE("each byte of no character is replaced", "[printable]") {
  const std::string no = "\xef\xbf\xbd";
  CHECK(as_utf8("x\xff") == "x" + no);
  CHECK(as_utf8("\x80"
                "a")
        == no + "a");
  // Cut off, longer than need be, half of a pair, beyond the last one.
  CHECK(as_utf8("\xe2\x82") == no + no);
  CHECK(as_utf8("\xc0\xaf") == no + no);
  CHECK(as_utf8("\xe0\x80\xaf") == no + no + no);
  CHECK(as_utf8("\xed\xa0\x80") == no + no + no);
  CHECK(as_utf8("\xf4\x90\x80\x80") == no + no + no + no);
  CHECK(as_utf8("\xf5") == no);
}

TEST_CASE("control characters reach no terminal", "[printable]") {
  CHECK(printable("a\nb\tc\x1b[2J\x7f") == "a?b?c?[2J?");
  CHECK(printable(std::string{"\0x", 2}) == "?x");
  // CSI as one character.
  CHECK(printable("\xc2\x9b"
                  "2J")
        == "?2J");
  CHECK(as_utf8("a\nb") == "a\nb");
}

TEST_CASE("nothing turns the direction of a line around", "[printable]") {
  for (const auto* text :
       {"\u061c", "\u200e", "\u200f", "\u202a", "\u202e", "\u2066", "\u2069"}) {
    INFO(text);
    CHECK(printable(text) == "?");
    CHECK(as_utf8(text) == text);
  }
  // Their neighbours, and letters that are read from right to left.
  for (const auto* text : {"\u061b", "\u200d", "\u2010", "\u2029", "\u202f",
                           "\u2065", "\u206a", "\u05d0\u0628"})
    CHECK(printable(text) == text);
}

TEST_CASE("texts are measured and cut by characters", "[printable]") {
  CHECK(characters_of("Gr\xc3\xbc\xc3\x9f"
                      "e")
        == 5);
  CHECK(shortened("12345", 5) == "12345");
  CHECK(shortened("123456", 5) == "12...");
  CHECK(shortened("\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc", 5)
        == "\xc3\xbc\xc3\xbc...");
}
