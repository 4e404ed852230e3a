// `stoker spark decode`, as a whole. What it shows of a frame is tested in tests/spark.

#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <boost/json.hpp>

#include "tests/support/catch.hpp"
#include "tests/support/temporary_directory.hpp"

namespace {

namespace json = boost::json;
using stoker::test::TemporaryDirectory;

struct Result {
  int status = 0;

  /// Of standard output and standard error together.
  std::vector<std::string> lines;
};

/// @param rest what follows `stoker spark`, for a shell
Result run_spark(const std::string& rest) {
  Result result;
  auto* pipe = popen((STOKER_PROGRAM " spark " + rest + " 2>&1").c_str(), "r");
  REQUIRE(pipe != nullptr);
  std::string out;
  std::array<char, 4096> buffer{};
  while (auto n = std::fread(buffer.data(), 1, buffer.size(), pipe))
    out.append(buffer.data(), n);
  result.status = WEXITSTATUS(pclose(pipe));
  for (std::size_t at = 0; at < out.size();) {
    auto end = std::min(out.find('\n', at), out.size());
    result.lines.push_back(out.substr(at, end - at));
    at = end + 1;
  }
  return result;
}

/// A recorded frame of a worker that registers.
std::string frame_file() {
  return STOKER_SPARK_FRAMES "/4.1.4/003-worker-master-RegisterWorker.bin";
}

std::string frame_bytes() {
  std::ifstream in{frame_file(), std::ios::binary};
  std::string result{std::istreambuf_iterator<char>{in}, {}};
  REQUIRE_FALSE(result.empty());
  return result;
}

void check_shown(const std::string& line) {
  auto shown = json::parse(line).as_object();
  CHECK(shown.at("frame_type") == "OneWayMessage");
  CHECK(shown.at("endpoint") == "Master");
  CHECK(shown.at("fields").as_object().at("cores") == 2);
}

} // namespace

TEST_CASE("a frame is shown as a line of JSON") {
  auto result = run_spark("decode " + frame_file());
  CHECK(result.status == 0);
  REQUIRE(result.lines.size() == 1);
  check_shown(result.lines[0]);
}

TEST_CASE("frames that follow each other are shown, also of standard input") {
  TemporaryDirectory files;
  auto file = files.write("stream", frame_bytes() + frame_bytes());
  for (const auto& rest : {file, "- < " + file}) {
    auto result = run_spark("decode " + rest);
    CHECK(result.status == 0);
    REQUIRE(result.lines.size() == 2);
    check_shown(result.lines[0]);
    check_shown(result.lines[1]);
  }
}

TEST_CASE("of a damaged stream, all frames before the damage are shown") {
  TemporaryDirectory files;
  auto bytes = frame_bytes();
  auto where = "the frame at byte " + std::to_string(bytes.size());
  auto cut = files.write("cut", bytes + bytes.substr(0, 100));
  auto other = files.write("other", bytes + std::string(9, '\1'));
  for (const auto& file : {cut, other}) {
    auto result = run_spark("decode " + file);
    CHECK(result.status == 65);
    REQUIRE(result.lines.size() == 2);
    check_shown(result.lines[0]);
    CHECK(result.lines[1].starts_with("stoker: "));
    CHECK(result.lines[1].find(where) != std::string::npos);
  }
}

TEST_CASE("what cannot be shown is told in one line") {
  TemporaryDirectory files;
  auto empty = files.write("empty", "");
  struct Refused {
    std::string rest;
    int status = 0;
    std::string reason;
  };
  for (const auto& x :
       {Refused{"decode " + empty, 65, "there is none"},
        Refused{"decode - < /dev/null", 65, "standard input"},
        Refused{"decode /no/such/file", 1, "/no/such/file"},
        Refused{"decode", 2, "FILE"}, Refused{"", 2, "subcommand"},
        Refused{"encode", 2, "did you mean 'decode'?"}}) {
    INFO(x.rest);
    auto result = run_spark(x.rest);
    CHECK(result.status == x.status);
    REQUIRE(result.lines.size() == 1);
    CHECK(result.lines[0].starts_with("stoker: "));
    CHECK(result.lines[0].find(x.reason) != std::string::npos);
  }
}

TEST_CASE("the help has an example") {
  auto result = run_spark("decode --help");
  CHECK(result.status == 0);
  CHECK(result.lines.size() > 5);
}
