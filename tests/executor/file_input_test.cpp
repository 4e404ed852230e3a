// File splits: any cut of a file gives each line once, and whole.

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "executor/file_input.hpp"
#include "tests/executor/support.hpp"

using namespace stoker;
using namespace stoker::executor;
using namespace stoker::executor::test;

namespace {

/// What an input gives, read through a pipe that is small, so that it has to pause.
std::string all_of(FileInput&& input) {
  int fds[2];
  REQUIRE(::pipe2(fds, O_CLOEXEC | O_NONBLOCK) == 0);
  process::UniqueFd in{fds[0]};
  process::UniqueFd out{fds[1]};
  REQUIRE(::fcntl(fds[1], F_SETPIPE_SZ, 4096) >= 0);
  std::string result;
  for (auto state = Feeding::pipe_full; state != Feeding::finished;) {
    auto fed = input.feed(fds[1]);
    INFO((fed ? "" : fed.error().message));
    REQUIRE(fed);
    state = fed->state;
    char buffer[8192];
    for (ssize_t n = 0; (n = ::read(fds[0], buffer, sizeof buffer)) > 0;)
      result.append(buffer, static_cast<std::size_t>(n));
  }
  return result;
}

std::string split_of(const std::string& path, std::int64_t begin,
                     std::int64_t end) {
  return all_of(FileInput{{FileSplit{path, begin, end}}});
}

/// The lines that begin in a part of a text, found by looking at all lines.
std::string naive_split(const std::string& text, std::size_t begin,
                        std::size_t end) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    auto next = std::min(text.find('\n', at), text.size() - 1) + 1;
    if (at >= begin && at < end)
      result += text.substr(at, next - at);
    at = next;
  }
  return result;
}

/// Lines of any bytes; short ones, empty ones, and some that are longer than what is
/// read at once.
std::string random_text(Generator& random) {
  std::string result;
  auto lines = below(random, 40);
  for (std::size_t i = 0; i < lines; ++i) {
    auto length = below(random, 20);
    if (below(random, 20) == 0)
      length = below(random, 200'000);
    for (std::size_t j = 0; j < length; ++j)
      if (auto byte = static_cast<char>(below(random, 256)); byte != '\n')
        result += byte;
    if (i + 1 < lines || below(random, 2) == 0)
      result += '\n';
  }
  return result;
}

} // namespace

TEST_CASE(
    "a split has the lines that begin in it, and the last of them whole") {
  stoker::test::TemporaryDirectory directory;
  auto file = directory.write("lines", "one\ntwo\nthree\nfour");
  CHECK(split_of(file, 0, 1) == "one\n");
  CHECK(split_of(file, 0, 4) == "one\n");
  CHECK(split_of(file, 0, 5) == "one\ntwo\n");
  CHECK(split_of(file, 1, 4).empty());
  CHECK(split_of(file, 4, 8) == "two\n");
  CHECK(split_of(file, 5, 9) == "three\n");
  CHECK(split_of(file, 9, 15) == "four");
  CHECK(split_of(file, 15, 18).empty());
  CHECK(split_of(file, 0, FileSplit::end_of_file) == "one\ntwo\nthree\nfour");
  CHECK(split_of(file, 8, 8).empty());
}

TEST_CASE("all splits of a file, put together, are the file") {
  auto seed = std::random_device{}();
  INFO("seed " << seed);
  Generator random{seed};
  stoker::test::TemporaryDirectory directory;
  for (int round = 0; round < 60; ++round) {
    auto text = random_text(random);
    auto file = directory.write("text", text);
    std::vector<std::size_t> cuts{0, text.size()};
    for (auto more = below(random, 8); more > 0; --more)
      cuts.push_back(below(random, text.size() + 1));
    // Where mistakes are likely: at and beside a newline.
    if (auto newline = text.find('\n', text.size() / 2); newline < text.size())
      for (auto cut :
           {newline, newline + 1, std::min(newline + 2, text.size())})
        cuts.push_back(cut);
    std::sort(cuts.begin(), cuts.end());
    std::string together;
    for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
      auto part = split_of(file, static_cast<std::int64_t>(cuts[i]),
                           static_cast<std::int64_t>(cuts[i + 1]));
      INFO("bytes " << cuts[i] << " to " << cuts[i + 1]);
      REQUIRE(part == naive_split(text, cuts[i], cuts[i + 1]));
      together += part;
    }
    REQUIRE(together == text);
  }
}

TEST_CASE("several splits follow each other, each line on its own") {
  stoker::test::TemporaryDirectory directory;
  auto open = directory.write("open", "one\ntwo");
  auto empty = directory.write("empty", "");
  auto closed = directory.write("closed", "three\n");
  CHECK(all_of(FileInput{{{open}, {empty}, {closed}, {open, 4, 7}}})
        == "one\ntwo\nthree\ntwo");
  CHECK(all_of(FileInput{{{open, 0, 2}, {open, 2, 7}, {empty}}}) == "one\ntwo");
  CHECK(all_of(FileInput{{}}).empty());
}

TEST_CASE("a file that is shortened while it is read is an error") {
  stoker::test::TemporaryDirectory directory;
  auto file = directory.write("text", std::string(200'000, 'x'));
  int fds[2];
  REQUIRE(::pipe2(fds, O_CLOEXEC | O_NONBLOCK) == 0);
  process::UniqueFd in{fds[0]};
  process::UniqueFd out{fds[1]};
  FileInput input{{{file}}};
  auto fed = input.feed(fds[1]);
  REQUIRE(fed);
  CHECK(fed->state == Feeding::pipe_full);
  REQUIRE(::truncate(file.c_str(), 10) == 0);
  std::vector<char> buffer(100'000);
  CHECK(::read(fds[0], buffer.data(), buffer.size()) > 0);
  auto failed = input.feed(fds[1]);
  REQUIRE_FALSE(failed);
  CHECK(failed.error().message
        == "cannot read " + file + ": it was shortened while it was read");
}
