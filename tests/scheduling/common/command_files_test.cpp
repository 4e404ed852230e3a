// Which files may go with a command.

#include "scheduling/common/command_files.hpp"

#include "messages/shipped_program.hpp"
#include "tests/support/catch.hpp"

using namespace stoker;

namespace {

const std::string some_sum(64, 'a');

CommandFile named(const std::string& name) {
  return {name, some_sum, 1, false};
}

} // namespace

TEST_CASE("a file has a plain name in the program's own directory",
          "[command files]") {
  auto good = GENERATE(as<std::string>{}, "a", "train.py", ".hidden", "a b",
                       "..a", "stdout2", "attempt", "attempt-x", "a:b", "-rf",
                       std::string(255, 'x'), "\xc3\xa4.txt");
  INFO(good);
  CHECK(validate_file_name(good));
  CHECK(validate({named(good)}));
}

TEST_CASE("a file has no name that leads elsewhere, or is taken",
          "[command files]") {
  auto wrong
      = GENERATE(as<std::string>{}, "", ".", "..", "../x", "/etc/passwd", "a/b",
                 "a\n", std::string("a\0b", 3), "\x7f", std::string(256, 'x'),
                 "stdout", "stderr", "stdout.1000", "control.sock",
                 "state.json", "state.json.new", "attempt-2");
  INFO(wrong);
  CHECK(validate_file_name(wrong).code() == Errc::invalid_request);
  CHECK(validate({named(wrong)}).code() == Errc::invalid_request);
}

TEST_CASE("files of a command are told apart, and are not too many",
          "[command files]") {
  CHECK(validate({}));
  CHECK(validate({named("a"), named("b")}));
  auto twice = validate({named("a"), named("b"), named("a")});
  REQUIRE_FALSE(twice);
  CHECK(twice.error().message.find("two files are called 'a'")
        != std::string::npos);
  std::vector<CommandFile> many;
  for (int i = 0; i < 100; ++i)
    many.push_back(named(std::to_string(i)));
  CHECK(validate(many));
  many.push_back(named("one more"));
  CHECK_FALSE(validate(many));
}

TEST_CASE("a file needs a sum and a size", "[command files]") {
  auto sum = GENERATE(as<std::string>{}, "", "aa", std::string(64, 'A'),
                      std::string(64, 'g'), std::string(65, 'a'),
                      "../" + std::string(61, 'a'));
  INFO(sum);
  CHECK_FALSE(is_sha256(sum));
  CHECK_FALSE(validate({{"a", sum, 1, false}}));
  CHECK_FALSE(validate({{"a", some_sum, -1, false}}));
}

TEST_CASE("a program that is one of the files is found in its directory",
          "[command files]") {
  Command command;
  command.files = {named("tool")};
  command.arguments = {"./tool", "./tool"};
  CHECK(words_in(command, "/work/1")
        == std::vector<std::string>{"/work/1/tool", "./tool"});
  for (const auto* other : {"tool", "/bin/tool", "./other", "../tool", "./"}) {
    command.arguments = {other};
    CHECK(words_in(command, "/work/1") == std::vector<std::string>{other});
  }
  command.arguments.clear();
  CHECK(words_in(command, "/work/1").empty());
}
