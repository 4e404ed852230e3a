// Drivers that Spark's clients submit over HTTP.

#include "web/submission_request.hpp"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include "tests/support/catch.hpp"

using namespace stoker;

namespace {

namespace json = boost::json;

using Words = std::vector<std::string>;

const SubmissionPlace place{"spark://127.0.0.1:17077", 6066, "4.1.4"};

json::object request(json::object properties = {}) {
  return {{"action", "CreateSubmissionRequest"},
          {"appArgs", json::array{"a", "b c", 7, true}},
          {"appResource", "file:///srv/my.jar"},
          {"clientSparkVersion", "3.5.9"},
          {"environmentVariables",
           {{"SPARK_ENV_LOADED", "1"},
            {"SPARK_LOCAL_IP", "10.0.0.1"},
            {"N", nullptr}}},
          {"mainClass", "org.me.Main"},
          {"sparkProperties", std::move(properties)}};
}

Result<SubmittedDriver> read(const json::object& x) {
  return read_submission(json::serialize(x), place);
}

DriverDescription driver(const json::object& x) {
  auto result = read(x);
  INFO((result ? std::string{} : result.error().message));
  REQUIRE(result);
  return result->description;
}

std::string problem(const json::object& x) {
  auto result = read(x);
  REQUIRE_FALSE(result);
  CHECK(result.code() == Errc::invalid_request);
  return result.error().message;
}

std::string problem_with(const char* field, json::value value) {
  auto x = request();
  x[field] = std::move(value);
  return problem(x);
}

} // namespace

TEST_CASE("a driver is described as Spark's master describes it", "[web]") {
  auto x
      = driver(request({{"spark.app.name", "mine"},
                        {"spark.driver.memory", "600m"},
                        {"spark.driver.cores", "2"},
                        {"spark.driver.supervise", "true"},
                        {"spark.driver.extraClassPath", "/a:/b"},
                        {"spark.driver.extraLibraryPath", "/l"},
                        {"spark.driver.defaultJavaOptions", "-Dd=1"},
                        {"spark.driver.extraJavaOptions", R"(-Dq=1 -Dr="a b")"},
                        {"spark.driver.resource.gpu.amount", 2},
                        {"spark.master", "spark://127.0.0.1:6066,h:6066"}}));
  CHECK(x.name == "mine");
  CHECK(x.memory_mb == 600);
  CHECK(x.cores == 2);
  CHECK(x.supervise);
  CHECK(x.resources == ResourceAmounts{{"gpu", 2}});
  const auto& command = x.command;
  CHECK(command.arguments
        == Words{"{{WORKER_URL}}", "/srv/my.jar", "org.me.Main", "a", "b c",
                 "7", "true"});
  CHECK(command.environment
        == std::map<std::string, std::string>{{"SPARK_ENV_LOADED", "1"}});
  REQUIRE(command.spark);
  CHECK(command.spark->version == "3.5.9");
  CHECK(command.spark->main_class
        == "org.apache.spark.deploy.worker.DriverWrapper");
  CHECK(command.spark->class_path_entries == Words{"/a", "/b"});
  CHECK(command.spark->library_path_entries == Words{"/l"});
  const auto& options = command.spark->java_options;
  CHECK(options.size() == 10 + 3);
  CHECK(std::ranges::find(options, "-Dspark.driver.memory=600m")
        != options.end());
  CHECK(std::ranges::find(options,
                          "-Dspark.master=spark://127.0.0.1:17077,h:17077")
        != options.end());
  CHECK(Words{options.end() - 3, options.end()}
        == Words{"-Dd=1", "-Dq=1", "-Dr=a b"});
}

TEST_CASE("a driver that says little gets what Spark gives it", "[web]") {
  auto little = request();
  little.erase("environmentVariables");
  little.erase("sparkProperties");
  little.erase("appArgs");
  little["clientSparkVersion"] = "";
  little["appResource"] = "";
  auto x = driver(little);
  CHECK(x.name == "org.me.Main");
  CHECK(x.cores == 1);
  CHECK(x.memory_mb == 1024);
  CHECK_FALSE(x.supervise);
  CHECK(x.command.arguments == Words{"{{WORKER_URL}}", "", "org.me.Main"});
  CHECK(x.command.spark->version == "4.1.4");
  CHECK(x.command.spark->java_options
        == Words{"-Dspark.master=spark://127.0.0.1:17077"});
}

TEST_CASE("a driver of a Spark that nobody knows is taken for the newest",
          "[web]") {
  auto version = [](const char* x) {
    auto asked = request();
    asked["clientSparkVersion"] = x;
    return driver(asked).command.spark->version;
  };
  for (const auto* x : {"", "1", "4.1", "main"})
    CHECK(version(x) == "4.1.4");
  for (const auto* x : {"3.5.9", "4.1.4-SNAPSHOT"})
    CHECK(version(x) == x);
}

TEST_CASE("memory without a unit is bytes", "[web]") {
  auto memory = [](json::value x) {
    return driver(request({{"spark.driver.memory", std::move(x)}})).memory_mb;
  };
  CHECK(memory("536870912") == 512);
  CHECK(memory(536870912) == 512);
  CHECK(memory("2g") == 2048);
  CHECK(memory("1t") == 1024 * 1024);
  CHECK(memory("512k") == 0);
}

TEST_CASE("only the port of submissions is replaced", "[web]") {
  auto master = [](const char* x) {
    return driver(request({{"spark.master", x}}))
        .command.spark->java_options.front();
  };
  CHECK(master("spark://h:60660") == "-Dspark.master=spark://h:60660");
  CHECK(master("spark://h:7077") == "-Dspark.master=spark://h:7077");
  CHECK(master("spark://h:7077,g:7078")
        == "-Dspark.master=spark://h:7077,g:7078");
  CHECK(master("spark://h:6066,g:7078")
        == "-Dspark.master=spark://h:17077,g:7078");
}

TEST_CASE("a jar is a file that each worker has", "[web]") {
  auto jar = [](const char* x) {
    auto asked = request();
    asked["appResource"] = x;
    return driver(asked).command.arguments.at(1);
  };
  CHECK(jar("/a.jar") == "/a.jar");
  CHECK(jar("file:/a.jar") == "/a.jar");
  CHECK(jar("local:///a.jar") == "/a.jar");
  // Spark makes a URL of the path that its user gives.
  CHECK(jar("file:/my%20jobs/%C3%A4.jar") == "/my jobs/\xC3\xA4.jar");
  CHECK(jar("/my%20jobs/a.jar") == "/my%20jobs/a.jar");
  for (const auto* x :
       {"hdfs://h/a.jar", "a.jar", "http://h/a.jar", "file://h/a",
        "spark-internal", "file:/a%2", "file:/a%zz.jar", "file:/a%00.jar"})
    CHECK(problem_with("appResource", x).find("appResource")
          != std::string::npos);
}

TEST_CASE("what is wrong with a submission is said in a line", "[web]") {
  for (const auto* name :
       {"action", "mainClass", "appResource", "clientSparkVersion"}) {
    auto x = request();
    x.erase(name);
    CHECK(problem(x).find(name) != std::string::npos);
    for (const auto& none : {json::value(json::array{}), json::value(nullptr)})
      CHECK(problem_with(name, none).find(name) != std::string::npos);
  }
  for (const auto* name :
       {"appArgs", "environmentVariables", "sparkProperties"})
    CHECK(problem_with(name, "x").find(name) != std::string::npos);
  CHECK(problem_with("appArgs", json::array{json::object{}}).find("appArgs")
        != std::string::npos);
  CHECK(problem_with("action", "KillSubmissionRequest").find("action")
        != std::string::npos);
  CHECK(problem_with("clientSparkVersion", "../4").find("clientSparkVersion")
        != std::string::npos);
  for (const auto* name :
       {"spark.driver.cores", "spark.driver.memory", "spark.driver.supervise",
        "spark.driver.resource.gpu.amount"})
    CHECK(problem(request({{name, "zz"}})).find(name) != std::string::npos);
  CHECK_FALSE(read_submission("", place));
  CHECK_FALSE(read_submission("[]", place));
  CHECK_FALSE(read_submission(std::string(100'000, '['), place));
  json::value deep = 1;
  for (int i = 0; i < 100; ++i)
    deep = json::array{std::move(deep)};
  CHECK(problem_with("sparkProperties", std::move(deep)).find("too deep")
        != std::string::npos);
}

TEST_CASE("no program is given what it cannot be given", "[web]") {
  auto zero = std::string("a\0b", 3);
  CHECK_FALSE(read(request({{"k", json::string{zero}}})));
  auto x = request();
  x["environmentVariables"] = json::object{{"A=B", "1"}};
  CHECK_FALSE(read(x));
  x["environmentVariables"] = json::object{{"A", json::string{zero}}};
  CHECK_FALSE(read(x));
}

TEST_CASE("fields that nobody knows are named", "[web]") {
  auto x = request();
  x["more"] = json::object{};
  auto result = read(x);
  REQUIRE(result);
  CHECK(result->unknown_fields == Words{"more"});
}

TEST_CASE("options are split as a shell splits them", "[web]") {
  CHECK(split_options("") == Words{});
  CHECK(split_options("  -a\t-b\n") == Words{"-a", "-b"});
  CHECK(split_options(R"(-a="b c" 'd "e' f\ g)")
        == Words{"-a=b c", R"(d "e)", "f g"});
  CHECK(split_options(R"('a\b' "c\"d" '')") == Words{R"(a\b)", R"(c"d)", ""});
  CHECK(split_options(R"("open)") == Words{"open"});
  CHECK(split_options("\\") == Words{"\\"});
}
