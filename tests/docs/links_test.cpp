// Every link between documents leads somewhere: the file is there, and so is
// the heading. Files of the repository that documents name are there, too.

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/catch.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace stoker::test;

namespace {

namespace fs = std::filesystem;

using Texts = std::vector<std::string>;

/// What a reader sees as text: without blocks of code, which have no links.
Texts prose_lines(const fs::path& file) {
  std::ifstream in{file};
  Texts result;
  bool fenced = false;
  for (std::string line; std::getline(in, line);) {
    auto fence = line.starts_with("```");
    fenced = fenced != fence;
    auto code = fenced || fence || line.starts_with("    ");
    result.push_back(code ? std::string{} : line);
  }
  return result;
}

/// The anchor that a heading gets where such pages are shown: lower case,
/// without punctuation, with dashes for spaces.
std::string anchor_of(const std::string& heading) {
  std::string result;
  for (auto c : heading) {
    auto x = static_cast<unsigned char>(c);
    if (c == ' ')
      result += '-';
    else if (std::isalnum(x) != 0 || c == '-' || c == '_' || x >= 0x80)
      result += static_cast<char>(std::tolower(x));
  }
  return result;
}

/// A second heading of the same text gets -1, and so on.
std::set<std::string> anchors_of(const fs::path& file) {
  std::map<std::string, int> seen;
  std::set<std::string> result;
  for (const auto& line : prose_lines(file)) {
    auto level = line.find_first_not_of('#');
    if (level == 0 || level == std::string::npos || line[level] != ' ')
      continue;
    auto anchor = anchor_of(line.substr(level + 1));
    auto n = seen[anchor]++;
    result.insert(n == 0 ? anchor : anchor + '-' + std::to_string(n));
  }
  return result;
}

/// The targets of [text](target), also where the text is broken over lines.
Texts targets_of(const fs::path& file) {
  std::string text;
  for (const auto& line : prose_lines(file))
    text += line + '\n';
  // What stands in `...` is no link.
  text = std::regex_replace(text, std::regex{"`[^`\n]*`"}, "");
  static const std::regex link{R"(\]\(([^()\s]+)\))"};
  Texts result;
  for (std::sregex_iterator i{text.begin(), text.end(), link}, end; i != end;
       ++i)
    result.push_back((*i)[1]);
  return result;
}

/// Why a link leads nowhere; empty: it does lead somewhere.
std::string problem_of(const fs::path& from, const std::string& target) {
  if (target.starts_with("http://") || target.starts_with("https://"))
    return {};
  auto hash = target.find('#');
  auto name = target.substr(0, hash);
  auto file = name.empty() ? from : from.parent_path() / name;
  if (!fs::exists(file))
    return "there is no " + name;
  if (hash == std::string::npos)
    return {};
  auto anchor = target.substr(hash + 1);
  return anchors_of(file).count(anchor) > 0 ? "" : "no heading for #" + anchor;
}

Texts documents(const fs::path& root) {
  Texts result;
  for (fs::recursive_directory_iterator i{root}, end; i != end; ++i) {
    auto name = i->path().filename().string();
    if (i->is_directory() && (name == "build" || name.starts_with('.')))
      i.disable_recursion_pending();
    else if (i->path().extension() == ".md")
      result.push_back(i->path());
  }
  std::sort(result.begin(), result.end());
  return result;
}

Texts broken_links(const fs::path& root) {
  Texts result;
  for (const auto& file : documents(root))
    for (const auto& target : targets_of(file))
      if (auto problem = problem_of(file, target); !problem.empty())
        result.push_back(fs::relative(file, root).string() + ": " + target
                         + ": " + problem);
  return result;
}

/// Files that `...` names by their path from the root.
Texts missing_files(const fs::path& root) {
  static const std::regex name{
      R"(`([a-z_]+(/[a-z_0-9]+)*/[A-Za-z_0-9]+\.(hpp|cpp|md|txt|jsonl|toml)))"
      R"(([ :][^`\n]*)?`)"};
  Texts result;
  for (const auto& file : documents(root)) {
    std::string text;
    for (const auto& line : prose_lines(file))
      text += line + '\n';
    for (std::sregex_iterator i{text.begin(), text.end(), name}, end; i != end;
         ++i)
      if (!fs::exists(root / (*i)[1].str()))
        result.push_back(fs::relative(file, root).string() + ": "
                         + (*i)[1].str());
  }
  return result;
}

} // namespace

TEST_CASE("every file that the documents name is there") {
  CHECK(missing_files(STOKER_ROOT) == Texts{});
}

TEST_CASE("a file that is not there is found") {
  TemporaryDirectory directory;
  fs::create_directory(directory.path("code"));
  directory.write("code/a.hpp", "");
  directory.write("one.md", "`code/a.hpp`, `code/a.hpp: f`, `code/b.hpp`,\n"
                            "`c.hpp`, code/d.hpp, `other/e.cpp`\n");
  CHECK(missing_files(directory.path(""))
        == Texts{"one.md: code/b.hpp", "one.md: other/e.cpp"});
}

TEST_CASE("every link in the documents leads somewhere") {
  CHECK(documents(STOKER_ROOT).size() > 20);
  CHECK(broken_links(STOKER_ROOT) == Texts{});
}

TEST_CASE("a link that leads nowhere is found") {
  TemporaryDirectory directory;
  auto write = [&](const std::string& name, const std::string& text) {
    directory.write(name, text);
  };
  fs::create_directory(directory.path("more"));
  write("more/other.md", "# Other\n\n## `run`, and more!\n\n## Twice\n"
                         "## Twice\n\n    # Code\n\n```\n# Fenced\n```\n");
  write("one.md", "[a](more/other.md) [b\nc](more/other.md#run-and-more)\n"
                  "[d](#here) [e](https://example.org/x#y)\n# Here\n"
                  "[f](more/other.md#twice-1) `[g](none.md)`\n"
                  "    [h](none.md)\n");
  CHECK(broken_links(directory.path("")) == Texts{});
  write("two.md", "[a](none.md) [b](more/other.md#code) [c](#here)\n"
                  "[d](more/other.md#fenced) [e](more/other.md#twice-2)\n");
  CHECK(broken_links(directory.path(""))
        == Texts{"two.md: none.md: there is no none.md",
                 "two.md: more/other.md#code: no heading for #code",
                 "two.md: #here: no heading for #here",
                 "two.md: more/other.md#fenced: no heading for #fenced",
                 "two.md: more/other.md#twice-2: no heading for #twice-2"});
}
