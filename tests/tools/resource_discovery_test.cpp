// What a worker learns of its named resources: embedding/resource_discovery.hpp.

#include "embedding/resource_discovery.hpp"

#include <signal.h>
#include <sys/stat.h>

#include <csignal>

#include "tests/support/catch.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace stoker;
using stoker::test::TemporaryDirectory;

namespace {

using Found = Result<ResourceAddresses>;

ResourceAddresses resources(const Found& found) {
  INFO((found ? "" : found.error().message));
  REQUIRE(found);
  return *found;
}

template <class T>
std::string problem(const Result<T>& found) {
  REQUIRE_FALSE(found);
  const auto& result = found.error().message;
  CHECK(result.find('\n') == std::string::npos);
  return result;
}

/// A plan with a script and a file in a directory of its own.
struct Machine {
  TemporaryDirectory directory;
  ResourceDiscovery plan;

  std::string write_script(const std::string& commands) {
    auto path = directory.write("script", "#!/bin/sh\n" + commands + '\n');
    ::chmod(path.c_str(), 0755);
    plan.kinds["gpu"].script = path;
    return path;
  }

  std::string write_file(const std::string& content) {
    return plan.file = directory.write("resources.json", content);
  }

  /// With these addresses, as JSON.
  std::string write_gpus(const std::string& addresses) {
    return write_file(R"([{"id": {"componentName": "spark.worker",)"
                      R"( "resourceName": "gpu"}, "addresses": )"
                      + addresses + "}]");
  }

  [[nodiscard]] Found discover() const {
    return discover_resources(plan);
  }
};

constexpr const char* print_two
    = R"(echo '{"name": "gpu", "addresses": ["0", "1"]}')";

const ResourceAddresses nothing;

} // namespace

TEST_CASE("a machine without named resources has none", "[resources]") {
  CHECK(resources(discover_resources({})) == nothing);
}

TEST_CASE("what is given by hand is there, in its order", "[resources]") {
  ResourceDiscovery plan;
  CHECK(add_resource_by_hand("gpu=3,0,1", plan));
  CHECK(add_resource_by_hand("fpga=x", plan));
  CHECK(resources(discover_resources(plan))
        == ResourceAddresses{{"gpu", {"3", "0", "1"}}, {"fpga", {"x"}}});
  CHECK(add_resource_by_hand("gpu=7", plan));
  CHECK(resources(discover_resources(plan)).at("gpu")
        == std::vector<std::string>{"7"});
}

TEST_CASE("what is given by hand in another form is told", "[resources]") {
  ResourceDiscovery plan;
  for (const auto* text : {"", "gpu", "gpu=", "=1", "="})
    CHECK(problem(add_resource_by_hand(text, plan))
          == "--resource: '" + std::string{text}
                 + "' is not NAME=ADDRESS[,ADDRESS...]");
  CHECK(plan.kinds.empty());
}

TEST_CASE("addresses of one kind differ and are not empty", "[resources]") {
  for (const auto* text : {"gpu=0,0", "gpu=0,,1", "gpu=,1"}) {
    INFO(text);
    ResourceDiscovery plan;
    REQUIRE(add_resource_by_hand(text, plan));
    CHECK(problem(discover_resources(plan))
          == "the addresses of gpu must differ, and have neither commas nor "
             "nothing in them");
  }
}

TEST_CASE("a name of a resource is a word", "[resources]") {
  ResourceDiscovery plan;
  REQUIRE(add_resource_by_hand("my gpu=0", plan));
  CHECK(problem(discover_resources(plan)) == "'my gpu' cannot name a resource");
}

TEST_CASE_METHOD(Machine, "a script tells what there is", "[resources]") {
  write_script(print_two);
  CHECK(resources(discover()) == ResourceAddresses{{"gpu", {"0", "1"}}});
}

TEST_CASE_METHOD(Machine, "the amount bounds what is offered", "[resources]") {
  write_script(print_two);
  plan.kinds["gpu"].amount = 1;
  CHECK(resources(discover()) == ResourceAddresses{{"gpu", {"0"}}});
  plan.kinds["gpu"].amount = 0;
  CHECK(resources(discover()) == nothing);
}

TEST_CASE_METHOD(Machine, "fewer than the amount are told", "[resources]") {
  plan.kinds["gpu"].amount = 3;
  CHECK(problem(discover())
            .starts_with("spark.worker.resource.gpu.amount is "
                         "3, but only 0 were found"));
  write_script(print_two);
  CHECK(problem(discover())
            .starts_with("spark.worker.resource.gpu.amount is "
                         "3, but only 2 were found"));
}

TEST_CASE_METHOD(Machine, "a script that finds none is no mistake",
                 "[resources]") {
  write_script(R"(echo '{"name": "gpu", "addresses": []}')");
  CHECK(resources(discover()) == nothing);
}

TEST_CASE_METHOD(Machine, "what goes wrong with a script is told",
                 "[resources]") {
  struct Row {
    const char* commands;
    const char* expected;
  };
  auto [commands, expected] = GENERATE(values<Row>({
      {"exit 1", " failed"},
      {"kill -9 $$", " failed"},
      {R"(echo '{"name": "gpu", "addresses": ["0"]}'; exit 2)", " failed"},
      {":", " prints is not JSON: "},
      {"echo 0 1", " prints is not JSON: "},
      {"echo '[]'", " lacks \"name\""},
      {R"(echo '{"name": "gpu"}')", " lacks \"addresses\""},
      {R"(echo '{"name": 1, "addresses": ["0"]}')",
       ": names and addresses must be texts"},
      {R"(echo '{"name": "gpu", "addresses": "0"}')",
       ": \"addresses\" must be a list"},
      {R"(echo '{"name": "gpu", "addresses": [0]}')",
       ": names and addresses must be texts"},
      {R"(echo '{"name": "fpga", "addresses": ["0"]}')",
       " finds 'fpga', not 'gpu'"},
      {"head -c 2000000 /dev/zero", " prints too much"},
  }));
  auto path = write_script(commands);
  auto text = problem(discover());
  INFO(text);
  CHECK(text.find(path) != std::string::npos);
  CHECK(text.find(expected) != std::string::npos);
}

TEST_CASE_METHOD(Machine, "a script that does not end is ended, and told",
                 "[resources]") {
  auto pid_file = directory.path("pid");
  auto script = write_script(
      "echo $$ > " + pid_file + "; "
      + GENERATE(
          // It writes nothing, something, or closes its output.
          as<std::string>{}, "exec sleep 1000", "echo '{'; exec sleep 1000",
          "exec >&-; exec sleep 1000"));
  CHECK(problem(discover_resources(plan, std::chrono::seconds{1}))
        == script + " has not ended after 1 s");
  auto pid = std::stoi(directory.read("pid"));
  CHECK(::kill(pid, 0) != 0);
}

TEST_CASE_METHOD(Machine, "a script that cannot be started is told",
                 "[resources]") {
  auto path = write_script(print_two);
  SECTION("because there is none") {
    plan.kinds["gpu"].script = directory.path("none");
    CHECK(problem(discover())
          == "cannot start " + directory.path("none")
                 + ": No such file or directory");
  }
  SECTION("because it is no program") {
    ::chmod(path.c_str(), 0644);
    CHECK(problem(discover())
          == "cannot start " + path + ": Permission denied");
  }
}

TEST_CASE_METHOD(Machine, "a resources file tells what workers have",
                 "[resources]") {
  write_file(R"([
    {"id": {"componentName": "spark.driver", "resourceName": "gpu"},
     "addresses": ["9"]},
    {"id": {"componentName": "spark.worker", "resourceName": "gpu"},
     "addresses": ["0", "1"]},
    {"id": {"componentName": "spark.worker", "resourceName": "fpga"},
     "addresses": ["x"]}])");
  CHECK(resources(discover())
        == ResourceAddresses{{"gpu", {"0", "1"}}, {"fpga", {"x"}}});
}

TEST_CASE_METHOD(Machine,
                 "by hand comes before the file, the file before a "
                 "script",
                 "[resources]") {
  write_script("exit 1");
  write_gpus(R"(["5"])");
  // The script is not run.
  CHECK(resources(discover()) == ResourceAddresses{{"gpu", {"5"}}});
  REQUIRE(add_resource_by_hand("gpu=6", plan));
  CHECK(resources(discover()) == ResourceAddresses{{"gpu", {"6"}}});
}

TEST_CASE_METHOD(Machine, "what is wrong with a resources file is told",
                 "[resources]") {
  SECTION("none") {
    plan.file = directory.path("none");
    CHECK(problem(discover())
          == "cannot read the resources file " + plan.file
                 + ": No such file or directory");
  }
  SECTION("a directory") {
    plan.file = directory.path(".");
    CHECK(problem(discover())
          == "cannot read the resources file " + plan.file
                 + ": Is a directory");
  }
  SECTION("not JSON") {
    write_file("gpu: 0");
    CHECK(problem(discover()).starts_with(plan.file + " is not JSON: "));
  }
  SECTION("not a list") {
    write_file("{}");
    CHECK(problem(discover()) == plan.file + " must hold a list of resources");
  }
  SECTION("without an end") {
    write_file(std::string(3 * 1024 * 1024, ' '));
    CHECK(problem(discover())
          == "the resources file " + plan.file + " is too large");
  }
  SECTION("without an id") {
    write_file("[{}]");
    CHECK(problem(discover()) == plan.file + " lacks \"id\"");
  }
  SECTION("without a name") {
    write_file(R"([{"id": {"componentName": "spark.worker"},)"
               R"( "addresses": []}])");
    CHECK(problem(discover()) == plan.file + " lacks \"resourceName\"");
  }
  SECTION("numbers") {
    write_gpus("[0]");
    CHECK(problem(discover())
          == plan.file + ": names and addresses must be texts");
  }
}

TEST_CASE("an amount of a resource is a number above 0", "[resources]") {
  ResourceAmounts amounts;
  CHECK(add_resource_amount("gpu=2", amounts));
  CHECK(add_resource_amount("fpga=1", amounts));
  CHECK(amounts == ResourceAmounts{{"gpu", 2}, {"fpga", 1}});
  for (const auto* text :
       {"", "gpu", "gpu=", "=1", "gpu=0", "gpu=-1", "gpu=x", "gpu=1.5"})
    CHECK(problem(add_resource_amount(text, amounts))
          == "--resource: '" + std::string{text} + "' is not NAME=AMOUNT");
  CHECK(amounts == ResourceAmounts{{"gpu", 2}, {"fpga", 1}});
  CHECK(problem(add_resource_amount("my gpu=1", amounts))
        == "'my gpu' cannot name a resource");
}

TEST_CASE("a script ignores no signal when this process ignores some",
          "[resources]") {
  auto* before = std::signal(SIGPIPE, SIG_IGN);
  Machine machine;
  machine.write_script(
      "ignored=$(sed -n 's/^SigIgn:[[:space:]]*//p' /proc/self/status)\n"
      R"(echo '{"name": "gpu", "addresses": ["'$ignored'"]}')");
  auto found = machine.discover();
  std::signal(SIGPIPE, before);
  auto ignored = std::stoull(resources(found).at("gpu").front(), nullptr, 16);
  CHECK((ignored >> (SIGPIPE - 1U) & 1U) == 0);
}
