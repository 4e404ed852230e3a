// The programs that the documents show compile: each is a source of the target docs_samples.

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/catch.hpp"

namespace {

namespace fs = std::filesystem;

/// A whole program of a page; empty: there are not so many.
std::string sample_of(const fs::path& page, int number) {
  auto command = "awk -v number=" + std::to_string(number)
                 + " -f " STOKER_ROOT "/tests/docs/sample.awk " + page.string();
  std::unique_ptr<FILE, int (*)(FILE*)> pipe{::popen(command.c_str(), "r"),
                                             &::pclose};
  REQUIRE(pipe != nullptr);
  std::string result;
  for (int c = 0; (c = std::fgetc(pipe.get())) != EOF;)
    result += static_cast<char>(c);
  return result;
}

/// As "library.md:1", in order.
std::vector<std::string> samples_of_documents() {
  const fs::path docs{STOKER_ROOT "/docs"};
  std::vector<std::string> result;
  for (const auto& entry : fs::recursive_directory_iterator{docs}) {
    if (entry.path().extension() != ".md")
      continue;
    for (int n = 1; !sample_of(entry.path(), n).empty(); ++n)
      result.push_back(fs::relative(entry.path(), docs).string() + ':'
                       + std::to_string(n));
  }
  std::sort(result.begin(), result.end());
  return result;
}

} // namespace

TEST_CASE("every whole program of the documents is compiled") {
  std::vector<std::string> compiled;
  std::istringstream list{STOKER_DOCS_SAMPLES};
  for (std::string name; list >> name;)
    compiled.push_back(name);
  CHECK(samples_of_documents() == compiled);
}

TEST_CASE("a program of the documents is found as it stands there") {
  auto sample = sample_of(STOKER_ROOT "/docs/develop/replay.md", 2);
  CHECK(sample.starts_with("#include <iostream>\n"));
  CHECK(sample.find("replay_file(") != std::string::npos);
  CHECK(sample.ends_with("}\n"));
}
