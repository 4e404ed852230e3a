// TOML that users write: what nests too deep is refused before a tree is made of it.

#include <string>
#include <vector>

#include "tests/support/catch.hpp"
#include "tools/stoker/toml_scanner.hpp"
#include "tools/stoker/toml_text.hpp"

using namespace stoker;

namespace {

/// The line and the reason of a refusal; empty if the text is taken.
std::string refusal_of(const std::string& text) {
  try {
    static_cast<void>(parse_toml(text, "x.toml"));
    return {};
  } catch (const TomlProblem& e) {
    return std::to_string(e.line) + ": " + e.what;
  }
}

std::string repeated(const std::string& text, int times) {
  std::string result;
  for (int i = 0; i < times; ++i)
    result += text;
  return result;
}

} // namespace

TEST_CASE("TOML is refused when a key has too many parts", "[toml]") {
  // Enough for the end of the stack, if the library got them.
  const auto key = repeated("a.", 1'000'000) + "a";
  for (const auto& line :
       {key + " = 1", "x = {" + key + " = 1}", "\"\\\"\"." + key + " = 1",
        "'\"'." + key + " = 1", "[" + key + "]", "[[" + key + "]]",
        "x = [[{b = {" + key + " = 1}}]]", "x = { 'a.b' = 1, " + key + " = 1}",
        "\"x\"\t. " + key + " = 1", "x = \"\"\"\"\"\"\ny = {" + key + "=1}"}) {
    CAPTURE(line.substr(0, 20));
    auto refusal = refusal_of("# first\n" + line + "\n");
    CHECK(refusal.ends_with(": a key has too many parts"));
    CHECK(refusal.starts_with(line.starts_with("x = \"\"") ? "3" : "2"));
  }
}

TEST_CASE("TOML is refused when values nest too deep", "[toml]") {
  for (const auto& text :
       {"x = " + repeated("[", 100'000), "x = " + repeated("{a = ", 100'000),
        "x = [\n" + repeated("{a = [\n", 100'000)})
    CHECK(refusal_of(text).ends_with(": values are nested too deep"));
  // A key's parts, and those of the table that it is in, count together.
  CHECK(refusal_of("[" + repeated("a.", 20) + "a]\n" + repeated("b.", 20)
                   + "b = 1")
        == "2: a key has too many parts");
}

TEST_CASE("TOML is taken up to the depth that is allowed", "[toml]") {
  CHECK(refusal_of(repeated("a.", toml_depth_max - 1) + "a = 1").empty());
  CHECK_FALSE(refusal_of(repeated("a.", toml_depth_max) + "a = 1").empty());
  const auto levels = toml_depth_max - 1;
  CHECK(refusal_of("x = " + repeated("[", levels) + repeated("]", levels))
            .empty());
  CHECK_FALSE(
      refusal_of("x = " + repeated("[", levels + 1) + repeated("]", levels + 1))
          .empty());
}

TEST_CASE("dots and brackets that nest nothing are taken", "[toml]") {
  const auto dots = repeated("[.{", 100);
  for (const auto& text :
       {"x = \"" + dots + "\"", "x = '" + dots + "'",
        "x = \"\"\"\n" + dots + "\\\"\"\"\n" + dots + "\"\"\"",
        "x = '''\n" + dots + "''\n" + dots + "'''", "# " + dots,
        "x = [1, # " + dots + "\n 2.5]", "\"" + dots + "\" = 1",
        "x = {'" + dots + "' = 1979-05-27 07:32:00.5Z}",
        repeated("[[a.b.c]]\nx.y = [{z = 1}, {z = 2}]\n", 100)}) {
    CAPTURE(text.substr(0, 20));
    CHECK(refusal_of(text + "\n").empty());
  }
}

TEST_CASE("TOML that is wrong is refused at its line", "[toml]") {
  // What follows the error may be deep: nothing reads it.
  const auto deep = "\n" + repeated("a.", 1'000'000) + "a = 1\n";
  for (const auto* text :
       {"x = 1\ny", "x = 1\ny = ", "x = 1\n[y", "x = 1\ny = \"",
        "x = 1\ny = 1 z", "x = 1\ny = {a = 1,}", "x = 1\n\x01",
        "x = 1\ny = \xc3\xa4"}) {
    CAPTURE(text);
    CHECK(refusal_of(text + deep).starts_with("2: "));
  }
}
