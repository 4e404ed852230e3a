#include "tests/support/golden.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
#include <vector>

#include "tests/support/catch.hpp"

namespace stoker::test {

namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> result;
  std::istringstream in{text};
  for (std::string line; std::getline(in, line);)
    result.push_back(line);
  return result;
}

std::string read(const std::string& path) {
  std::ifstream in{path, std::ios::binary};
  return {std::istreambuf_iterator<char>{in}, {}};
}

/// The trace as it comes out today: everything that people wrote, and the
/// output of every command.
std::string replay(const std::string& recorded,
                   const std::function<std::string(const std::string&)>& run) {
  std::string result;
  // Commands in a row, without output between them, are run together.
  std::string output;
  bool in_output = false;
  bool pending = false;
  auto finish = [&] {
    if (pending)
      result += "----\n" + output;
    output.clear();
    pending = false;
  };
  for (const auto& line : lines_of(recorded)) {
    if (line == "----") {
      in_output = true;
    } else if (line.empty()) {
      finish();
      in_output = false;
      result += '\n';
    } else if (line.front() == '#') {
      result += line + '\n';
    } else if (!in_output) {
      result += line + '\n';
      output += run(line);
      pending = true;
    }
  }
  finish();
  return result;
}

/// Where two traces part, with what stands around.
std::string first_difference(const std::string& expected,
                             const std::string& actual) {
  auto before = lines_of(expected);
  auto after = lines_of(actual);
  std::size_t i = 0;
  while (i < before.size() && i < after.size() && before[i] == after[i])
    ++i;
  auto excerpt = [i](const std::vector<std::string>& lines, char mark) {
    std::string result;
    for (auto j = i; j < std::min(i + 8, lines.size()); ++j)
      result += std::string{mark} + ' ' + lines[j] + '\n';
    return result;
  };
  std::string result = "from line " + std::to_string(i + 1) + " on:\n";
  for (auto j = i - std::min<std::size_t>(i, 6); j < i; ++j)
    result += "  " + before[j] + '\n';
  return result + excerpt(before, '-') + excerpt(after, '+');
}

} // namespace

void check_golden(const std::string& path,
                  const std::function<std::string(const std::string&)>& run) {
  REQUIRE(std::ifstream{path});
  check_golden_text(path, replay(read(path), run));
}

void check_golden_text(const std::string& path, const std::string& actual) {
  INFO(path);
  auto expected = read(path);
  if (actual == expected) {
    SUCCEED();
    return;
  }
  if (std::getenv("UPDATE_GOLDEN") != nullptr) {
    std::ofstream{path} << actual;
    FAIL_CHECK("rewritten, as UPDATE_GOLDEN asks for");
  }
  FAIL_CHECK(first_difference(expected, actual));
}

} // namespace stoker::test
