// --file PATH[:NAME]: what it means, and what goes to a master.

#include "tools/stoker/file_options.hpp"

#include <sys/stat.h>

#include <filesystem>
#include <map>

#include "storage/sha256.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tools/stoker/command_error.hpp"
#include "tools/stoker/program_options.hpp"

using namespace stoker;
using namespace stoker::test;

namespace {

/// Why these files cannot go with a command, in a line.
std::string why_not(const std::vector<std::string>& words) {
  try {
    describe_files(words);
  } catch (const CommandError& e) {
    CHECK(e.exit_code() == exit_usage);
    CHECK(std::string{e.what()}.find('\n') == std::string::npos);
    return e.what();
  }
  return {};
}

/// A master that takes pieces as the real one does, as far as a sender sees it.
struct Taker {
  std::map<std::string, std::string> stored;
  int pieces = 0;
  std::optional<std::string> problem;

  StorePart store() {
    return [this](const StoreFilePart& x) -> Result<StoreFileResponse> {
      auto& content = stored[x.sha256];
      if (problem)
        return StoreFileResponse{0, problem};
      if (!x.data.empty())
        ++pieces;
      if (static_cast<std::int64_t>(content.size()) == x.offset)
        content += x.data;
      return StoreFileResponse{static_cast<std::int64_t>(content.size()), {}};
    };
  }
};

} // namespace

TEST_CASE("a file's name is its own, or stands behind the last colon",
          "[file options]") {
  struct Case {
    const char* text;
    const char* path;
    const char* name;
  };
  auto x = GENERATE(Case{"a", "a", "a"}, Case{"dir/a.py", "dir/a.py", "a.py"},
                    Case{"a:b", "a", "b"}, Case{"dir/a:b", "dir/a", "b"},
                    Case{"a:b:c", "a:b", "c"}, Case{"a:b/c", "a:b/c", "c"},
                    Case{"a:", "a", ""}, Case{":b", "", "b"},
                    Case{"dir/", "dir/", ""}, Case{"../x", "../x", "x"});
  INFO(x.text);
  auto named = parse_named_path(x.text);
  CHECK(named.path == x.path);
  CHECK(named.name == x.name);
}

TEST_CASE("files are described as they are", "[file options]") {
  TemporaryDirectory directory;
  auto script = directory.write("script", "content");
  ::chmod(script.c_str(), 0755);
  auto empty = directory.write("empty", "");
  auto files = describe_files({script + ":tool", empty});
  REQUIRE(files.size() == 2);
  CHECK(files[0].name == "tool");
  CHECK(files[0].executable);
  CHECK(files[0].bytes == 7);
  CHECK(files[0].sha256 == sha256_of("content"));
  CHECK(files[1].name == "empty");
  CHECK_FALSE(files[1].executable);
  CHECK(files[1].bytes == 0);
}

TEST_CASE("what cannot go with a command is told in one line",
          "[file options]") {
  TemporaryDirectory directory;
  auto file = directory.write("a", "x");
  auto colon = directory.write("a:b", "x");
  auto says = [](const std::string& why, const std::string& words) {
    INFO(why);
    return why.find(words) != std::string::npos;
  };
  CHECK(says(why_not({directory.path("none")}), "No such file"));
  CHECK(says(why_not({directory.path("none:x")}), "No such file"));
  std::filesystem::remove(file);
  CHECK(says(why_not({colon}), "add a name: " + colon + ":NAME"));
  CHECK(says(why_not({directory.path("")}), "a file needs a name"));
  CHECK(says(why_not({directory.path(".") + ":x"}), "not a regular file"));
  CHECK(says(why_not({"/dev/null"}), "not a regular file"));
  CHECK(says(why_not({colon + ":.."}), "plain name"));
  CHECK(says(why_not({colon + ":stdout"}), "another one"));
  CHECK(says(why_not({colon + ":x", colon + ":x"}), "two files"));
  ::mkfifo(directory.path("pipe").c_str(), 0600);
  CHECK(says(why_not({directory.path("pipe")}), "not a regular file"));
}

TEST_CASE("a program that is one of the files is not looked for here",
          "[file options]") {
  TemporaryDirectory directory;
  ProgramOptions options;
  options.files = {directory.write("tool", "x")};
  CHECK(make_command({"tool", "a"}, options).arguments
        == std::vector<std::string>{"./tool", "a"});
  auto command = make_command({"./tool"}, options);
  CHECK(command.arguments == std::vector<std::string>{"./tool"});
  CHECK(command.working_directory.empty());
  CHECK_FALSE(command.working_directory_required);
  CHECK(make_command({"python3", "tool"}, options).arguments
        == std::vector<std::string>{"python3", "tool"});
  CHECK(make_command({"./other"}, options).arguments.front().front() == '/');
  options.working_directory = "/tmp";
  command = make_command({"tool"}, options);
  CHECK(command.working_directory == "/tmp");
  CHECK(command.working_directory_required);
}

TEST_CASE("what a master has is not sent again", "[file options]") {
  TemporaryDirectory directory;
  const std::string content(2'500'000, 'x');
  std::vector<std::string> words{directory.write("one", content),
                                 directory.write("same", content),
                                 directory.write("other", "y")};
  auto files = describe_files(words);
  Taker taker;
  SECTION("but all of it, once") {
    send_files(words, files, taker.store());
    CHECK(taker.pieces == 4);
    send_files(words, files, taker.store());
    CHECK(taker.pieces == 4);
  }
  SECTION("but the rest") {
    taker.stored[files[0].sha256] = content.substr(0, 2'000'000);
    send_files(words, files, taker.store());
    CHECK(taker.pieces == 2);
  }
  CHECK(taker.stored[files[0].sha256] == content);
  CHECK(taker.stored[files[2].sha256] == "y");
}

TEST_CASE("why a master takes no file is told", "[file options]") {
  TemporaryDirectory directory;
  std::vector<std::string> words{directory.write("one", "x")};
  auto files = describe_files(words);
  Taker taker;
  taker.problem = "there is no room for it";
  try {
    send_files(words, files, taker.store());
    FAIL("it was sent");
  } catch (const CommandError& e) {
    CHECK(e.exit_code() == exit_failure);
    CHECK(std::string{e.what()}
          == "cannot send " + words.front() + ": there is no room for it");
  }
  // One that takes nothing is not asked for ever.
  StorePart deaf = [](const StoreFilePart&) { return StoreFileResponse{}; };
  CHECK_THROWS_AS(send_files(words, files, deaf), CommandError);
}
