// The arguments of instances: tools/stoker/instance_arguments.hpp.

#include "tools/stoker/instance_arguments.hpp"

#include <sstream>

#include "tests/support/catch.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace stoker;
using stoker::test::TemporaryDirectory;

namespace {

using ListedWords = std::vector<std::string>;

/// Much more than anybody reads, in one line, which counts how much is taken.
class LongLine : public std::streambuf {
public:
  std::size_t taken = 0;

private:
  int_type underflow() override {
    if (taken >= bytes)
      return traits_type::eof();
    taken += part_.size();
    setg(part_.data(), part_.data(), part_.data() + part_.size());
    return traits_type::to_int_type(part_.front());
  }

  static constexpr std::size_t bytes = std::size_t{64} * 1024 * 1024;
  std::string part_ = std::string(4096, 'x');
};

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

TEST_CASE("a line without an end is read no further than arguments may be") {
  LongLine line;
  std::istream in{&line};
  auto result = split_arguments({"echo", "::::", "-"}, in);
  REQUIRE_FALSE(result);
  CHECK(result.error().message.find("too many arguments") != std::string::npos);
  CHECK(line.taken < 1024 * 1024);
}
