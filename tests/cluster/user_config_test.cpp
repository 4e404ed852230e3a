// A user's own configuration: defaults of the commands that ask a master.

#include <filesystem>
#include <fstream>
#include <functional>

#include "tests/cluster/cluster.hpp"
#include "tests/support/catch.hpp"

using namespace stoker::test;

namespace {

struct Configured {
  Cluster cluster;
  std::string master;
  std::string file;

  Configured() {
    cluster.start_local(
        {"--cores", "2", "--memory", "1g", "--resource", "gpu=0,1"});
    master = cluster.environment.at("STOKER_MASTER");
    cluster.environment.erase("STOKER_MASTER");
    cluster.environment["XDG_CONFIG_HOME"] = cluster.path("xdg");
    std::filesystem::create_directories(cluster.path("xdg/stoker"));
    file = cluster.path("xdg/stoker/config.toml");
  }

  void write(const std::string& text) const {
    std::ofstream{file} << text;
  }

  [[nodiscard]] std::string master_line() const {
    return "master = \"" + master + "\"\n";
  }

  /// What `stoker status` says of an application or a driver that has ended.
  boost::json::object info(const std::string& id) {
    auto all = boost::json::parse(cluster.run({"status", id, "--json"}).out);
    auto field
        = id.starts_with("app-") ? "completed_apps" : "completed_drivers";
    return all.at(field).at(0).as_object();
  }
};

/// What a file, a setting and an option say of the same, and what comes of each.
struct Stand {
  std::string option;
  std::string of_file;
  std::string setting;
  std::string of_setting;
  std::string typed;

  /// In the order of the file, the setting and the option.
  std::vector<std::string> results;

  [[nodiscard]] std::string line() const {
    return option + " = \"" + of_file + "\"\n";
  }

  /// The command line, with the setting and with the option.
  [[nodiscard]] std::vector<std::string>
  words(const std::string& command, bool has_setting, bool has_option) const {
    std::vector<std::string> result{command};
    if (has_setting)
      result.insert(result.end(), {"--conf", setting + '=' + of_setting});
    if (has_option)
      result.push_back("--" + option + '=' + typed);
    return result;
  }
};

using Outcome
    = std::function<std::string(const std::vector<std::string>& words)>;

/// Checks which of the three counts, of all that may be there together.
void check_order(const Configured& x, const std::string& command,
                 const std::vector<Stand>& stands, const Outcome& outcome) {
  for (const auto& stand : stands) {
    INFO(command << " --" << stand.option);
    x.write(x.master_line() + stand.line());
    CHECK(outcome(stand.words(command, false, false)) == stand.results.at(0));
    CHECK(outcome(stand.words(command, true, false)) == stand.results.at(1));
    CHECK(outcome(stand.words(command, true, true)) == stand.results.at(2));
    // The same from a file that is named.
    x.write(x.master_line());
    auto named = stand.words(command, true, false);
    auto file = x.cluster.path("named.toml");
    std::ofstream{file} << x.master_line() << stand.line();
    named.insert(named.end(), {"--config", file});
    CHECK(outcome(named) == stand.results.at(1));
    // And without any the setting counts less than what is typed.
    CHECK(outcome(stand.words(command, true, true)) == stand.results.at(2));
  }
}

} // namespace

TEST_CASE("commands find their master and defaults in their user's "
          "configuration") {
  Configured x;
  x.write(x.master_line() + "label = true\nmaster-timeout = \"5s\"\n"
          + "[spark.executor]\nmemory = \"300m\"\n");
  auto run = x.cluster.run({"run", "sh", "-c", "echo $STOKER_MEMORY_MB"});
  CHECK(run.status == 0);
  CHECK(run.out == "[0] 300\n");
  CHECK(x.cluster.run({"status"}).status == 0);
  CHECK(x.cluster.run({"queues", "--json"}).status == 0);
  CHECK(x.cluster.run({"top", "--once"}).status == 0);
  // A command without that option, or that setting, takes the others.
  CHECK(x.cluster.run({"submit", "true"}).status == 0);
}

TEST_CASE("the command line counts more than the environment, and that more "
          "than a user's configuration") {
  Configured x;
  x.write("master = \"stoker://127.0.0.1:1\"\nmaster-timeout = \"100ms\"\n");
  CHECK(x.cluster.run({"status"}).status == 69);
  CHECK(x.cluster.run({"status", "--master", x.master}).status == 0);
  x.cluster.environment["STOKER_MASTER"] = x.master;
  CHECK(x.cluster.run({"status"}).status == 0);
  CHECK(x.cluster.run({"status", "--master", "stoker://127.0.0.1:1"}).status
        == 69);
  // A file that is named counts instead.
  x.cluster.environment.erase("STOKER_MASTER");
  std::ofstream{x.cluster.path("other.toml")} << x.master_line();
  CHECK(
      x.cluster.run({"status", "--config", x.cluster.path("other.toml")}).status
      == 0);
  x.cluster.environment["STOKER_CONFIG"] = x.cluster.path("other.toml");
  CHECK(x.cluster.run({"status"}).status == 0);
  CHECK(x.cluster.run({"run", "true"}).status == 0);
}

TEST_CASE("of options of 'run' that stand for settings a file's count less "
          "than --conf, and typed ones more") {
  Configured x;
  auto outcome_of = [&](const std::string& script) {
    return [&x, script](std::vector<std::string> words) {
      words.insert(words.end(), {"--", "sh", "-c", script});
      auto result = x.cluster.run(words);
      INFO(result.err);
      CHECK(result.status == 0);
      return result.out;
    };
  };
  check_order(
      x, "run",
      {{"cores", "2", "spark.executor.cores", "1", "2", {"2\n", "1\n", "2\n"}}},
      outcome_of("echo $STOKER_CORES"));
  check_order(x, "run",
              {{"memory",
                "100m",
                "spark.executor.memory",
                "200m",
                "300m",
                {"100\n", "200\n", "300\n"}}},
              outcome_of("echo $STOKER_MEMORY_MB"));
  check_order(x, "run",
              {{"resource",
                "gpu=2",
                "spark.executor.resource.gpu.amount",
                "1",
                "gpu=2",
                {"2\n", "1\n", "2\n"}}},
              outcome_of("echo $STOKER_RESOURCE_GPU | tr , '\\n' | wc -l"));
  // It is ended by what is shorter than it.
  check_order(x, "run",
              {{"time-limit",
                "500ms",
                "stoker.app.timeLimit",
                "60s",
                "200ms",
                {"1", "0", "1"}}},
              [&](std::vector<std::string> words) {
                words.insert(words.end(), {"--", "sleep", "2"});
                return std::to_string(x.cluster.run(words).status);
              });
  check_order(x, "run",
              {{"name",
                "filed",
                "spark.app.name",
                "set",
                "typed",
                {"filed", "set", "typed"}}},
              [&](std::vector<std::string> words) {
                words.insert(words.end(), {"--json", "--", "true"});
                auto begun = lines_of(x.cluster.run(words).out).front();
                auto id = text_of(boost::json::parse(begun), "app_id");
                return text_of(x.info(id), "name");
              });
}

TEST_CASE("of options of 'submit' that stand for settings a file's count less "
          "than --conf, and typed ones more") {
  Configured x;
  auto field = [&](const std::string& name) {
    return [&x, name](std::vector<std::string> words) {
      words.insert(words.end(), {"--", "true"});
      auto id = lines_of(x.cluster.run(words).out).front();
      CHECK(x.cluster.run({"wait", id}).status == 0);
      return boost::json::serialize(x.info(id).at(name));
    };
  };
  check_order(x, "submit",
              {{"cores", "2", "spark.driver.cores", "1", "2", {"2", "1", "2"}}},
              field("cores"));
  check_order(x, "submit",
              {{"memory",
                "100m",
                "spark.driver.memory",
                "200m",
                "300m",
                {"100", "200", "300"}}},
              field("memory_mb"));
  check_order(x, "submit",
              {{"name",
                "filed",
                "spark.app.name",
                "set",
                "typed",
                {"\"filed\"", "\"set\"", "\"typed\""}}},
              field("name"));
  check_order(x, "submit",
              {{"supervise",
                "true",
                "spark.driver.supervise",
                "false",
                "true",
                {"true", "false", "true"}},
               {"supervise",
                "false",
                "spark.driver.supervise",
                "true",
                "false",
                {"false", "true", "false"}},
               {"max-restarts",
                "2",
                "spark.driver.supervise",
                "false",
                "1",
                {"true", "false", "true"}}},
              field("supervise"));
  check_order(x, "submit",
              {{"max-restarts",
                "2",
                "spark.driver.supervise",
                "true",
                "1",
                {"2", "2", "1"}}},
              field("max_restarts"));
  check_order(x, "submit",
              {{"resource",
                "gpu=2",
                "spark.driver.resource.gpu.amount",
                "1",
                "gpu=2",
                {"2", "1", "2"}}},
              [&](const std::vector<std::string>& words) {
                auto all = boost::json::parse(field("resources")(words));
                return std::to_string(all.at("gpu").as_array().size());
              });
}

TEST_CASE("a user's defaults give way to what the command line excludes") {
  Configured x;
  x.write(x.master_line()
          + "limit = 50\njson = true\nbarrier = true\nstdin = \"one\"\n"
            "on-end = \"true\"\n");
  CHECK(x.cluster.run({"history", "--monthly"}).status == 0);
  auto csv = x.cluster.run({"history", "--csv"});
  CHECK(csv.status == 0);
  CHECK(csv.out.starts_with("kind,id,"));
  // Two of the file do not go together.
  check_refusal(x.cluster.run({"run", "true"}), 2,
                x.file + ":5: 'stdin' and 'barrier' (" + x.file
                    + ":4) exclude each other");
  x.write(x.master_line() + "barrier = true\non-end = \"true\"\n");
  auto run = x.cluster.run({"run", "-l", "--", "echo", "{}", ":::", "a", "b"});
  CHECK(run.status == 0);
  CHECK(lines_of(run.out).size() == 2);
  check_refusal(x.cluster.run({"run", "--on-end-url", "no", "true"}), 2,
                "is posted to http://HOST");
  // The same from a file that is named.
  std::ofstream{x.cluster.path("other.toml")}
      << x.master_line() + "stdin = \"one\"\n";
  auto& lines
      = x.cluster.stoker({"run", "--config", x.cluster.path("other.toml"), "--",
                          "echo", "::::", "-"});
  CHECK(lines.result().err.find("standard input has no lines")
        != std::string::npos);
}

TEST_CASE("a user's defaults are none for commands that they do not go with") {
  Configured x;
  x.write(x.master_line()
          + "on-end-retries = 3\ninstance = 0\nexecutor-cores = 2\n"
            "executor-memory = \"100m\"\nexecutor-resource = \"gpu=1\"\n"
            "max-restarts = 2\ninput = \"words\"\npartitions = 2\n");
  auto run = x.cluster.run({"run", "echo", "done"});
  CHECK(run.status == 0);
  CHECK(run.out == "done\n");
  auto submitted = x.cluster.run({"submit", "--supervise=false", "--", "true"});
  CHECK(submitted.status == 0);
  auto id = submitted.out.substr(0, submitted.out.find('\n'));
  CHECK(x.cluster.run({"wait", id}).status == 0);
  CHECK(x.cluster.run({"logs", id}).status == 0);
  std::ofstream{x.cluster.path("job.json")}
      << R"({"stages": [{"name": "a", "command": ["cat"], "input": {"lines": ["x"]}}]})";
  CHECK(x.cluster.run({"job", x.cluster.path("job.json")}).status == 0);
  // What the command line has without what it needs is refused as before.
  check_refusal(x.cluster.run({"logs", id, "--instance", "1"}), 2,
                "--instance goes with an application");
  check_refusal(x.cluster.run({"submit", "--executor-cores", "1", "true"}), 2,
                "--with-executors N");
  check_refusal(x.cluster.run({"job", "a.json", "--input", "b"}), 2,
                "--input and FILE exclude each other");
}

TEST_CASE("a user's defaults hide nothing that a command looks at") {
  Configured x;
  x.write(x.master_line() + "name = \"usual\"\n");
  CHECK(x.cluster.run({"run", "true"}).status == 0);
  CHECK(x.cluster.run({"run", "--name", "other", "true"}).status == 0);
  for (const auto* name : {"usual", "other"})
    CHECK(eventually([&] {
      return x.cluster.run({"history", "--csv"}).out.find(name)
             != std::string::npos;
    }));
  for (const auto* option :
       {"user", "state", "kind", "since", "until", "company", "monthly", "app",
        "active", "add-worker", "end-app", "remove-worker"}) {
    INFO(option);
    x.write(x.master_line() + option + " = \"running\"\n");
    for (const auto* command : {"history", "status", "plan"})
      check_refusal(x.cluster.run({command}), 2,
                    x.file + ":2: '" + option
                        + "' is for the command line alone");
  }
}

TEST_CASE("certificates of a user's configuration are none for a command that "
          "proves nothing") {
  Configured x;
  x.write(x.master_line()
          + "tls-cert = \"a.pem\"\ntls-key = \"b.pem\"\ntls-ca = \"c.pem\"\n");
  auto result
      = x.cluster.run({"status", "--insecure", "--master-timeout", "100ms"});
  INFO(result.err);
  CHECK(result.status != 2);
  CHECK(result.err.find("exclude") == std::string::npos);
}

TEST_CASE("what is wrong in a user's configuration is said with its line, by "
          "commands that read it") {
  Configured x;
  x.write(x.master_line() + "mastr = 1\n");
  check_refusal(x.cluster.run({"status"}), 2,
                x.file
                    + ":2: 'mastr' is not an option of any command (did you "
                      "mean 'master'?)");
  x.write("a = \n");
  check_refusal(x.cluster.run({"run", "true"}), 2, x.file + ":1: ");
  x.write("cores = \"many\"\n" + x.master_line());
  check_refusal(x.cluster.run({"run", "true"}), 2, x.file + ":1: ");
  for (const auto* line :
       {"master = \"node1\"\n", "retries = -1\n", "instances = 0\n",
        "cores = 0\n", "after = \"app\"\n", "on-end-url = \"node1\"\n",
        "on-end = \"true\"\non-end-retries = 2000\n"}) {
    INFO(line);
    x.write(line);
    check_refusal(x.cluster.run({"run", "true"}), 2, x.file + ":");
  }
  // Also what a command looks at itself.
  for (const auto* line :
       {"conf = \"spark.executor.memory=10x\"\n", "conf = \"a=b\"\n",
        "conf = \"nothing\"\n", "env = \"NOT_SET_HERE\"\n", "env = \"=x\"\n",
        "export = \"NOT_SET_HERE\"\n", "resource = \"gpu\"\n",
        "resource = \"a b=1\"\n", "memory = \"0\"\n"})
    for (const auto* command : {"run", "submit"}) {
      INFO(line << command);
      x.write(x.master_line() + line);
      check_refusal(x.cluster.run({command, "true"}), 2, x.file + ":2: ");
    }
  for (const auto* line :
       {"cores = 0\n", "with-executors = -1\n", "executor-cores = 0\n",
        "executor-memory = \"0\"\n", "executor-resource = \"gpu\"\n"}) {
    INFO(line);
    x.write(x.master_line() + line);
    std::vector<std::string> words{"submit", "true"};
    if (std::string{line}.starts_with("executor"))
      words = {"submit", "--with-executors", "1", "true"};
    check_refusal(x.cluster.run(words), 2, x.file + ":2: ");
  }
  x.write(x.master_line() + "partitions = 0\n");
  check_refusal(x.cluster.run({"job", "--input", x.file, "--map", "cat",
                               "--reduce", "cat"}),
                2, x.file + ":2: --partitions must be from 1");
  // Of what is typed no file is to blame.
  x.write(x.master_line() + "conf = \"a=b\"\n");
  check_refusal(x.cluster.run({"run", "--conf", "b=a", "true"}), 2,
                "stoker: --conf: b is not a setting");
  // Others do not read it.
  CHECK(x.cluster.run({"--version"}).status == 0);
  CHECK(x.cluster.run({"run", "--help"}).status == 0);
  CHECK(x.cluster.run({"data", "show", x.cluster.path("data")}).status == 0);
}
