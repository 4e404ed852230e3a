// The arguments of instances: tools/stoker/instance_arguments.hpp.

#include "tools/stoker/instance_arguments.hpp"

#include <sstream>

#include "tests/support/catch.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace stoker;
using stoker::test::TemporaryDirectory;

namespace {

using ListedWords = std::vector<std::string>;

Result<CommandOfInstances> split(const ListedWords& words,
                                 const std::string& input = {}) {
  std::istringstream in{input};
  return split_arguments(words, in);
}

std::string refusal_of(const ListedWords& words,
                       const std::string& input = {}) {
  auto result = split(words, input);
  return result ? "" : result.error().message;
}

} // namespace

TEST_CASE("a command without a list has no arguments of instances") {
  auto x = split({"echo", "a", ":", "::"});
  REQUIRE(x);
  CHECK(x->words == ListedWords{"echo", "a", ":", "::"});
  CHECK_FALSE(x->arguments);
}

TEST_CASE("what follows three colons is an argument each") {
  auto x = split({"echo", "{}", ":::", "a", "b c", ""});
  REQUIRE(x);
  CHECK(x->words == ListedWords{"echo", "{}"});
  CHECK(x->arguments == ListedWords{"a", "b c", ""});
}

TEST_CASE("what follows four colons is a file with one in each line") {
  TemporaryDirectory directory;
  auto file = directory.write("list", "one\ntwo words\n\nlast");
  auto x = split({"echo", "::::", file});
  REQUIRE(x);
  CHECK(x->words == ListedWords{"echo"});
  CHECK(x->arguments == ListedWords{"one", "two words", "", "last"});
  auto read = split({"echo", "::::", "-"}, "a\nb\n");
  REQUIRE(read);
  CHECK(read->arguments == ListedWords{"a", "b"});
}

TEST_CASE("a list that cannot be is refused, and what is wrong is said") {
  TemporaryDirectory directory;
  auto empty = directory.write("empty", "");
  CHECK(refusal_of({"echo", ":::"})
        == "::: needs an argument for each instance");
  CHECK(refusal_of({"echo", ":::", "a", ":::", "b"})
        == "a command can have one list of arguments, ::: or ::::");
  CHECK(refusal_of({"echo", "::::"})
        == ":::: needs one file, or - for standard input");
  CHECK(refusal_of({"echo", "::::", empty}) == '\'' + empty + "' has no lines");
  CHECK(refusal_of({"echo", "::::", "-"}) == "standard input has no lines");
  CHECK(refusal_of({"echo", "::::", directory.path("none")})
            .find("cannot be read: No such file")
        != std::string::npos);
  CHECK(refusal_of({"echo", "::::", directory.path("")}).find("is a directory")
        != std::string::npos);
  CHECK(refusal_of({"echo", "::::", "-"}, std::string{"a\nb\0c\n", 6})
        == "standard input: line 2 has a zero byte, which no argument can "
           "have");
  CHECK(refusal_of({"echo", "::::", "-"}, std::string(300'000, 'x'))
            .find("too many arguments")
        != std::string::npos);
}
