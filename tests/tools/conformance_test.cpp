// stoker-conformance, as a whole: what a harness that runs it can rely on. What
// it answers is tested beside the rules it is asked about.

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include <boost/json.hpp>

#include "tests/support/catch.hpp"

namespace {

namespace json = boost::json;

/// A file that is gone with this object.
class InputFile {
public:
  explicit InputFile(const std::string& text) {
    auto file = ::mkstemp(path_.data());
    REQUIRE(file >= 0);
    ::close(file);
    std::ofstream{path_} << text;
  }
  ~InputFile() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  [[nodiscard]] const std::string& path() const noexcept {
    return path_;
  }

private:
  std::string path_
      = std::filesystem::temp_directory_path() / "stoker-conformance.XXXXXX";
};

struct Result {
  int status = 0;

  /// Of standard output and then, the last one, standard error.
  std::vector<std::string> lines;
};

Result run_conformance(const std::string& kind, const std::string& cases) {
  InputFile input{cases};
  Result result;
  auto command = STOKER_CONFORMANCE " " + kind + " 2>&1 < " + input.path();
  auto* pipe = popen(command.c_str(), "r");
  REQUIRE(pipe != nullptr);
  std::string line;
  for (int c = 0; (c = std::fgetc(pipe)) != EOF;) {
    if (c != '\n')
      line += static_cast<char>(c);
    else
      result.lines.push_back(std::exchange(line, {}));
  }
  CHECK(line.empty());
  result.status = WEXITSTATUS(pclose(pipe));
  return result;
}

const std::string good
    = R"({"id":"good","policy":{},"cluster":{"cores":4,"memory_mb":4096},)"
      R"("companies":[{"name":"c"}],"users":[{"name":"u","company":"c"}],)"
      R"("events":[{"submit":{"app":"a","user":"u","cores":1,)"
      R"("memory_per_core_mb":1}}]})"
      "\n";
const std::string answer = R"({"id":"good","expect":[["a"]]})";

} // namespace

TEST_CASE("each case is answered in a line, and a summary ends with success",
          "[conformance]") {
  auto result = run_conformance("tenants", good + "\n" + good);
  CHECK(result.status == 0);
  CHECK(result.lines
        == std::vector{answer, answer,
                       std::string{"stoker-conformance: 2 cases, 0 of them "
                                   "answered with an error"}});
}

TEST_CASE("one case that cannot be answered makes the whole fail",
          "[conformance]") {
  auto result = run_conformance("tenants", good + R"({"id":"bad"})" + "\n"
                                               + "no JSON\n" + good);
  CHECK(result.status == 1);
  REQUIRE(result.lines.size() == 5);
  CHECK(result.lines[0] == answer);
  auto bad = json::parse(result.lines[1]).as_object();
  CHECK(bad.at("id") == "bad");
  CHECK(bad.contains("error"));
  auto unreadable = json::parse(result.lines[2]).as_object();
  CHECK(unreadable.at("id") == nullptr);
  CHECK(unreadable.contains("error"));
  CHECK(result.lines[3] == answer);
  CHECK(result.lines[4]
        == "stoker-conformance: 4 cases, 2 of them answered with an error");
}

TEST_CASE("cases of allocation are answered like those of tenants",
          "[conformance]") {
  auto result = run_conformance(
      "allocation", R"({"id":"least","kind":"conf","conf":{)"
                    R"("spark.dynamicAllocation.minExecutors":"3"}})"
                    "\n"
                    R"({"id":"wrong","kind":"conf","conf":{)"
                    R"("spark.dynamicAllocation.minExecutors":"-1"}})"
                    "\n");
  CHECK(result.status == 0);
  CHECK(
      result.lines
      == std::vector<std::string>{
          R"({"id":"least","expect":{"rejected":false,"initial_target":3}})",
          R"({"id":"wrong","expect":{"rejected":true,"initial_target":null}})",
          "stoker-conformance: 2 cases, 0 of them answered with an error"});
}

TEST_CASE("frames of Spark are decoded one by one", "[conformance]") {
  // An answer of a worker, cut, and with something behind it.
  const std::string frame
      = "0000000000000044045914748890"
        "5d87480000002faced0005737200116a6176612e6c616e672e426f6f6c65616ecd2072"
        "80d59cfaee0200015a000576616c7565787001";
  auto line = [](const std::string& id, const std::string& hex) {
    return R"({"id":")" + id + R"(","hex":")" + hex + "\"}\n";
  };
  auto result = run_conformance(
      "spark-decode", line("good", frame)
                          + line("cut", frame.substr(0, frame.size() - 2))
                          + line("more", frame + "00") + line("none", "")
                          + line("no-hex", "0x"));
  CHECK(result.status == 1);
  REQUIRE(result.lines.size() == 6);
  CHECK(result.lines[0]
        == R"({"id":"good","message":{"frame_type":"RpcResponse",)"
           R"("request_id":6418883498796222280,"class":"java.lang.Boolean",)"
           R"("suids":{"java.lang.Boolean":-3665804199014368530},)"
           R"("fields":true}})");
  for (std::size_t i = 1; i < 5; ++i) {
    auto bad = json::parse(result.lines[i]).as_object();
    CHECK(bad.size() == 2);
    CHECK(bad.contains("id"));
    CHECK(bad.contains("error"));
  }
}

TEST_CASE("cases of the wrong kind are errors, all of them", "[conformance]") {
  auto result = run_conformance("placement", good + good);
  CHECK(result.status == 1);
  CHECK(result.lines.back()
        == "stoker-conformance: 2 cases, 2 of them answered with an error");
}

TEST_CASE("no cases are a failure: nothing was checked", "[conformance]") {
  CHECK(run_conformance("placement", "").status == 1);
}

TEST_CASE("a kind that does not exist is refused", "[conformance]") {
  auto result = run_conformance("drivers", good);
  CHECK(result.status > 1);
}
