// docs/reference.md has each option and each setting of the program, and none
// that there is not.

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <regex>
#include <set>
#include <sstream>
#include <string>

#include "tests/support/catch.hpp"

namespace {

using Names = std::set<std::string>;

std::string contents(const std::string& file) {
  std::ifstream in{file};
  std::string result{std::istreambuf_iterator<char>{in}, {}};
  REQUIRE_FALSE(result.empty());
  return result;
}

std::string output_of(const std::string& command) {
  std::unique_ptr<FILE, int (*)(FILE*)> pipe{::popen(command.c_str(), "r"),
                                             &::pclose};
  REQUIRE(pipe != nullptr);
  std::string result;
  std::array<char, 4096> buffer{};
  while (auto n = std::fread(buffer.data(), 1, buffer.size(), pipe.get()))
    result.append(buffer.data(), n);
  return result;
}

/// All that a pattern's first group finds in a text.
Names find_all(const std::string& text, const char* pattern) {
  std::regex regex{pattern};
  Names result;
  for (std::sregex_iterator i{text.begin(), text.end(), regex}, end; i != end;
       ++i)
    result.insert((*i)[1]);
  return result;
}

/// The options that a command's help lists, each in a line of its own.
Names options_of_program() {
  // --help-all leaves out the commands of commands.
  std::string help;
  for (const auto* words : {"--help-all", "data show --help",
                            "data check --help", "log show --help"})
    help += output_of(std::string{STOKER_PROGRAM} + ' ' + words);
  Names result;
  std::istringstream in{help};
  for (std::string line; std::getline(in, line);) {
    auto begin = line.find_first_not_of(' ');
    if (begin == std::string::npos || begin == 0 || line[begin] != '-')
      continue;
    // What follows is about the option.
    auto end = line.find("  ", begin);
    auto names = find_all(line.substr(begin, end - begin), "(--[a-z][a-z-]+)");
    result.insert(names.begin(), names.end());
  }
  return result;
}

Names without(const Names& all, const Names& others) {
  Names result;
  for (const auto& x : all)
    if (others.count(x) == 0)
      result.insert(x);
  return result;
}

const auto reference = STOKER_ROOT "/docs/reference.md";

} // namespace

TEST_CASE("the reference has the program's options, and no other") {
  auto options = options_of_program();
  CHECK(options.count("--with-executors") == 1);
  CHECK(options.count("--tenants") == 1);
  CHECK(options.count("--table") == 1);
  auto text = contents(reference);
  auto described = find_all(text, "(--[a-z][a-z-]+)");
  CHECK(without(options, described) == Names{});
  CHECK(without(described, options) == Names{});
}

TEST_CASE("the reference has the program's settings, and no other") {
  auto source = contents(STOKER_ROOT "/embedding/settings.cpp")
                + contents(STOKER_ROOT "/embedding/job_settings.cpp")
                + contents(STOKER_ROOT
                           "/scheduling/allocation/allocation_settings.cpp");
  // Names with a part that users choose end with a dot in the source.
  auto settings
      = find_all(source, R"x("((spark|stoker)\.[A-Za-z.]*[A-Za-z])")x");
  CHECK(settings.size() > 30);
  auto text = contents(reference);
  auto described = find_all(text, R"(`((spark|stoker)\.[A-Za-z.]*[A-Za-z])`)");
  CHECK(without(settings, described) == Names{});
  for (const auto& name : without(described, settings)) {
    INFO(name);
    auto chosen = name.find(".NAME.");
    REQUIRE(chosen != std::string::npos);
    CHECK(source.find('"' + name.substr(0, chosen + 1) + '"')
          != std::string::npos);
  }
}

TEST_CASE("the reference has the events of the program's log, and no other") {
  Names events;
  for (const auto* folder :
       {"actors", "embedding", "gateway", "network", "outputs", "process",
        "scheduling/master", "storage", "tools/stoker", "web"})
    for (const auto& file : std::filesystem::directory_iterator{
             std::string{STOKER_ROOT "/"} + folder}) {
      if (!file.is_regular_file())
        continue;
      auto text = contents(file.path().string());
      auto limited = find_all(
          text, R"x((?:LimitedLog \w+\{|<LimitedLog>\()\s*"([a-z-]+)")x");
      events.insert(limited.begin(), limited.end());
      auto lines = find_all(text, R"x(\bline\(\s*"([a-z-]+)")x");
      events.insert(lines.begin(), lines.end());
      auto named = find_all(
          text,
          R"x(spdlog::(?:debug|info|warn|error|critical)\(\s*"\[([a-z-]+)\] )x");
      events.insert(named.begin(), named.end());
      // Each line has one.
      INFO(file.path());
      CHECK(find_all(text, R"x((spdlog::(?:debug|info|warn|error|critical)\()x"
                           R"x((?!\s*"\[(?:[a-z-]+|\{\})\] )[^)]*))x")
            == Names{});
    }
  CHECK(events.size() > 15);
  auto text = contents(reference);
  auto begin = text.find("\n# Log lines\n");
  REQUIRE(begin != std::string::npos);
  auto section = text.substr(begin, text.find("\n# ", begin + 1) - begin);
  auto described = find_all(section, R"(\n\| `([a-z-]+)`)");
  CHECK(without(events, described) == Names{});
  CHECK(without(described, events) == Names{});
  // Of which levels can be told.
  auto known = find_all(contents(STOKER_ROOT "/tools/stoker/log_events.hpp"),
                        R"x("([a-z-]+)")x");
  CHECK(known == described);
}
