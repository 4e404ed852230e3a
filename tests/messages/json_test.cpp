// What JSON is read, and what is refused with a line that helps.

#include <string>

#include "messages/all.hpp"
#include "messages/json.hpp"
#include "messages/json_text.hpp"
#include "tests/support/catch.hpp"

using namespace stoker;

namespace {

/// What is wrong with `text` as a T, or nothing.
template <class T>
std::string problem(const std::string& text) {
  try {
    (void)from_json<T>(boost::json::parse(text));
    return {};
  } catch (const JsonError& error) {
    return error.what();
  }
}

} // namespace

TEST_CASE("a field that cannot be read is named by its path", "[messages]") {
  CHECK(problem<RegisterWorker>(R"({"cores": "many"})")
        == "cores: expected a whole number that fits");
  CHECK(problem<RegisterApplication>(R"({"description": {"user": 7}})")
        == "description.user: expected a string");
  CHECK(problem<MasterStateResponse>(R"({"workers": [{}, {"cores": true}]})")
        == "workers[1].cores: expected a whole number that fits");
  CHECK(problem<RequestSubmitDriver>(
            R"({"driver_description": {"command": {"environment": {"A": 1}}}})")
        == "driver_description.command.environment.A: expected a string");
  CHECK(problem<KillExecutors>(R"({"executor_ids": [0, 1, null]})")
        == "executor_ids[2]: expected a whole number that fits");
}

TEST_CASE("a value of another type is refused", "[messages]") {
  CHECK(problem<Heartbeat>("[]") == "the value: expected an object");
  CHECK(problem<Heartbeat>("null") == "the value: expected an object");
  CHECK(problem<Heartbeat>(R"({"worker": {}})") == "worker: expected a string");
  CHECK(problem<RegisteredWorker>(R"({"duplicate": 1})")
        == "duplicate: expected true or false");
  CHECK(problem<KillExecutors>(R"({"executor_ids": {}})")
        == "executor_ids: expected an array");
  CHECK(problem<DriverStateChanged>(R"({"state": 1})")
        == "state: expected a name");
  CHECK(problem<DriverDescription>(R"({"command": {"environment": []}})")
        == "command.environment: expected an object");
}

TEST_CASE("a number that does not fit is refused", "[messages]") {
  struct Row {
    const char* text;
    bool accepted;
  };
  auto row = GENERATE(values<Row>({
      {"2147483647", true},
      {"-2147483648", true},
      {"2147483648", false},
      {"-2147483649", false},
      {"18446744073709551615", false},
      {"1e300", false},
      {"1.5", false},
      {"3.0", true},
  }));
  INFO(row.text);
  auto text = std::string{R"({"cores": )"} + row.text + '}';
  CHECK(problem<RegisterWorker>(text).empty() == row.accepted);
}

TEST_CASE("memory takes more than 32 bits", "[messages]") {
  auto x = from_json<RegisterWorker>(
      boost::json::parse(R"({"memory_mb": 9223372036854775807})"));
  CHECK(x.memory_mb == 9223372036854775807);
  CHECK(problem<RegisterWorker>(R"({"memory_mb": 9223372036854775808})")
        == "memory_mb: expected a whole number that fits");
}

TEST_CASE("a state goes by its name only", "[messages]") {
  auto state = [](const char* text) {
    return problem<DriverStateChanged>(std::string{R"({"state": ")"} + text
                                       + "\"}");
  };
  CHECK(state("RELAUNCHING").empty());
  CHECK(state("RESTING") == "state: not one of the known names");
  CHECK(state("running") == "state: not one of the known names");
  CHECK(state("") == "state: not one of the known names");
  CHECK(state(R"(RUNNING\u0000)") == "state: not one of the known names");
}

TEST_CASE("a missing member keeps its default", "[messages]") {
  CHECK(from_json<RequestOutput>(boost::json::parse("{}")) == RequestOutput{});
  auto x = from_json<ApplicationDescription>(
      boost::json::parse(R"({"name": "x"})"));
  CHECK(!x.memory_per_executor_mb);
  CHECK(!x.max_cores);
}

TEST_CASE("an unknown member is passed over", "[messages]") {
  CHECK(from_json<KillDriver>(
            boost::json::parse(R"({"driver_id": "d", "grace": {"s": [1]}})"))
        == KillDriver{DriverId{"d"}});
}

TEST_CASE("null stands for what is not set", "[messages]") {
  ExecutorAdded x;
  x.index = 3;
  from_json(boost::json::parse(R"({"index": null})"), x);
  CHECK(!x.index);
  CHECK(to_json(x).at("index").is_null());
  CHECK(problem<ExecutorAdded>(R"({"cores": null})")
        == "cores: expected a whole number that fits");
}

TEST_CASE("what is read replaces lists and maps", "[messages]") {
  Command x{{"old", "words"}, {{"OLD", "1"}}, "/"};
  from_json(boost::json::parse(
                R"({"arguments": ["new"], "environment": {"NEW": "2"}})"),
            x);
  CHECK(x == Command{{"new"}, {{"NEW", "2"}}, "/"});
}

TEST_CASE(
    "what may be a secret among a JVM's options is hidden, and kept where "
    "programs are started from",
    "[messages][secrets]") {
  SparkProgram x;
  x.java_options = {"-Xmx1g", "-Dpassword=s3=cret", "-Dempty=", "=x"};
  auto shown = boost::json::array{"-Xmx1g", "-Dpassword=(hidden)",
                                  "-Dempty=(hidden)", "=(hidden)"};
  CHECK(to_json(x).at("java_options") == shown);
  std::string text;
  append_json(text, x);
  CHECK(boost::json::parse(text) == to_json(x));
  CHECK(from_json<SparkProgram>(to_json<Secrets::kept>(x)) == x);
  text.clear();
  append_json<Secrets::kept>(text, x);
  CHECK(from_json<SparkProgram>(boost::json::parse(text)) == x);
}

TEST_CASE("field names are those of the protocol", "[messages]") {
  // Written out once, so that a renamed field is noticed.
  LaunchExecutor x;
  x.master_url = "stoker://m:7077";
  x.app_id = AppId{"app-1"};
  x.exec_id = 2;
  x.app_desc.name = "pi";
  x.app_desc.command.arguments = {"pi", "100"};
  x.app_desc.max_cores = 8;
  x.cores = 4;
  x.memory_mb = 512;
  CHECK(
      boost::json::serialize(to_json(x))
      == R"({"master_url":"stoker://m:7077","app_id":"app-1","exec_id":2,)"
         R"("app_desc":{"name":"pi","user":"","command":{"arguments":)"
         R"(["pi","100"],"environment":{},"search_path":"",)"
         R"("working_directory":"","working_directory_required":false,)"
         R"("spark":null,"files":[]},)"
         R"("max_cores":8,"cores_per_executor":null,)"
         R"("memory_per_executor_mb":null,"initial_executor_limit":null,)"
         R"("instances":null,"reject_if_it_cannot_fit":false,)"
         R"("resources_per_executor":{},"preferred_hosts":{},)"
         R"("driver_id":null,"memory_per_task_mb":null,"priority":0,)"
         R"("sql":false,"time_limit_ms":null,"reads_output":null,"gang":null,)"
         R"("spark_driver":null,"after":[],"on_end":null},)"
         R"("cores":4,"memory_mb":512,"index":null,"resources":{}})");
}
