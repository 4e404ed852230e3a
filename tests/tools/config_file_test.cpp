// Configuration files, and what they may override: tools/stoker/config_file.hpp,
// tools/stoker/options.hpp.

#include "tools/stoker/config_file.hpp"

#include <stdlib.h>
#include <unistd.h>

#include "tests/support/catch.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/unprivileged.hpp"
#include "tools/stoker/config_names.hpp"
#include "tools/stoker/master_options.hpp"

using namespace stoker;
using stoker::test::TemporaryDirectory;

namespace {

using Lines = std::vector<std::string>;

std::string problem_in(const std::string& path) {
  auto result = read_config_file(path);
  return result ? "" : result.error().message;
}

/// A variable of the environment for as long as this object lives.
class Variable {
public:
  Variable(const char* name, const char* value) : name_(name) {
    setenv(name, value, 1);
  }
  ~Variable() {
    unsetenv(name_);
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

private:
  const char* name_;
};

/// The options of `stoker master`.
struct CommandLine {
  TemporaryDirectory directory;
  MasterOptions options;
  CLI::App app{"test", "master"};
  std::vector<Setting> settings;

  CommandLine() {
    add_master_options(app, options);
  }

  void parse(Lines words) {
    std::reverse(words.begin(), words.end());
    app.parse(words);
    settings = load_settings(app, options.config);
  }

  std::string file(const std::string& content) {
    return directory.write("master.toml", content);
  }

  std::string problem_with(const std::string& content) {
    try {
      parse({"--config", file(content)});
    } catch (const CommandError& e) {
      CHECK(e.exit_code() == exit_usage);
      return e.what();
    }
    return "";
  }
};

} // namespace

TEST_CASE("entries come in the file's order, with their lines", "[config]") {
  TemporaryDirectory directory;
  auto path = directory.write("master.toml", "# A comment.\n"
                                             "port = 7071\n"
                                             "\n"
                                             "[spark.worker]\n"
                                             "timeout = \"30s\"\n"
                                             "[spark]\n"
                                             "deploy.spreadOut = false\n");
  auto result = read_config_file(path);
  REQUIRE(result);
  Lines entries;
  for (const auto& x : *result)
    entries.push_back(x.origin.substr(directory.path("").size()) + ' ' + x.name
                      + '=' + x.value);
  CHECK(entries
        == Lines{"master.toml:2 port=7071",
                 "master.toml:5 spark.worker.timeout=30s",
                 "master.toml:7 spark.deploy.spreadOut=false"});
}

TEST_CASE("an empty file is no mistake", "[config]") {
  TemporaryDirectory directory;
  CHECK(problem_in(directory.write("empty.toml", "")).empty());
}

TEST_CASE("a mistake is named with its line, in one line", "[config]") {
  TemporaryDirectory directory;
  for (const auto* line : {"port = ", "= 3", "port = 1\nport = 2", "port 7",
                           "[a\n", "port = \"x"}) {
    INFO(line);
    auto path = directory.write("wrong.toml", "\n" + std::string{line} + "\n");
    auto problem = problem_in(path);
    CHECK(problem.find(path + ":") == 0);
    CHECK(problem.find('\n') == std::string::npos);
  }
}

TEST_CASE("a value of another type is refused with its line", "[config]") {
  TemporaryDirectory directory;
  for (const auto* value : {"1.5", "[1, 2]", "2026-11-21", "[{a = 1}]"}) {
    INFO(value);
    auto path = directory.write("wrong.toml",
                                "host = \"h\"\nport = " + std::string{value});
    CHECK(problem_in(path)
          == path
                 + ":2: a value must be a text, a whole number, true or false");
  }
}

TEST_CASE("a file that cannot be read is named with the reason", "[config]") {
  TemporaryDirectory directory;
  auto path = directory.path("missing.toml");
  CHECK(problem_in(path)
        == "cannot read the configuration " + path
               + ": No such file or directory");
  CHECK(problem_in(directory.path("."))
        == "cannot read the configuration " + directory.path(".")
               + ": Is a directory");
  path = directory.write("closed.toml", "port = 1");
  stoker::test::Unprivileged user{directory.path(".")};
  std::filesystem::permissions(path, std::filesystem::perms::none);
  CHECK(problem_in(path)
        == "cannot read the configuration " + path + ": Permission denied");
}

TEST_CASE_METHOD(CommandLine, "a default holds where nothing is given",
                 "[config]") {
  parse({});
  CHECK(options.port == 7070);
  CHECK(options.host == "127.0.0.1");
  CHECK(settings.empty());
}

TEST_CASE_METHOD(CommandLine, "a file overrides defaults", "[config]") {
  parse({"--config", file("port = 1\nhost = \"::1\"\nseed = 5\n")});
  CHECK(options.port == 1);
  CHECK(options.host == "::1");
  CHECK(options.seed == 5);
}

TEST_CASE_METHOD(CommandLine, "the environment overrides a file", "[config]") {
  Variable port{"STOKER_MASTER_PORT", "2"};
  parse({"--config", file("port = 1\nhost = \"::1\"\n")});
  CHECK(options.port == 2);
  CHECK(options.host == "::1");
}

TEST_CASE_METHOD(CommandLine, "the command line overrides all", "[config]") {
  Variable port{"STOKER_MASTER_PORT", "2"};
  parse({"--port", "3", "--config", file("port = 1\n")});
  CHECK(options.port == 3);
}

TEST_CASE_METHOD(CommandLine, "the environment can name the file", "[config]") {
  auto path = file("port = 1\n");
  Variable config{"STOKER_CONFIG", path.c_str()};
  parse({});
  CHECK(options.port == 1);
}

TEST_CASE_METHOD(CommandLine, "a file's settings come before --conf's",
                 "[config]") {
  parse({"--conf", "spark.worker.timeout=1s", "--config",
         file("spark.worker.timeout = \"2s\"\n"), "--conf", "a.b=c"});
  REQUIRE(settings.size() == 3);
  CHECK(settings.at(0).value == "2s");
  CHECK(settings.at(0).origin == directory.path("master.toml:1"));
  CHECK(settings.at(1).value == "1s");
  CHECK(settings.at(2).name == "a.b");
}

TEST_CASE_METHOD(CommandLine, "a key that is no option is refused",
                 "[config]") {
  CHECK(problem_with("host = \"h\"\nprot = 1\n")
        == directory.path("master.toml")
               + ":2: 'prot' is not an option of 'stoker master' (did you "
                 "mean 'port'?)");
  // Of another command.
  CHECK(problem_with("host = \"h\"\nmaster = \"m\"\n")
        == directory.path("master.toml")
               + ":2: 'master' is not an option of 'stoker master'");
}

TEST_CASE_METHOD(CommandLine,
                 "a setting of no command is refused with what "
                 "was meant",
                 "[config]") {
  CHECK(problem_with("[spark.worker]\ntimeot = \"30s\"\n")
        == directory.path("master.toml")
               + ":2: spark.worker.timeot is not a setting of any command (did "
                 "you mean 'spark.worker.timeout'?)");
  CHECK(problem_with("no.such.thing = 1\n")
        == directory.path("master.toml")
               + ":1: no.such.thing is not a setting of any command");
}

TEST_CASE_METHOD(CommandLine,
                 "an option that became a setting of the table before it is "
                 "told where it stands",
                 "[config]") {
  const std::string place = "; an option stands before the first [table]";
  CHECK(problem_with("[spark.worker]\nseed = 1\n").ends_with(place));
  CHECK(problem_with("[spark.worker]\nseeed = 1\n")
            .ends_with(place + " (did you mean 'seed'?)"));
  CHECK(problem_with("[spark.worker]\nwhatever = 1\n").find(place)
        == std::string::npos);
}

TEST_CASE_METHOD(CommandLine, "a flag is true or false, and nothing like it",
                 "[config]") {
  for (const std::string value : {"\"yes\"", "\"on\"", "1", "\"\""}) {
    INFO(value);
    CHECK(problem_with("insecure = " + value + "\n")
              .find(":1: 'insecure' is true or false, not '")
          != std::string::npos);
  }
}

TEST_CASE("an option that a file may not set is for the command line, unless "
          "another command takes it",
          "[config]") {
  CLI::App program;
  AccessOptions access;
  AccessOptions other_access;
  std::string text;
  auto* shows = program.add_subcommand("history");
  auto* starts = program.add_subcommand("run");
  for (const auto* name : {"--name", "--state"})
    shows->add_option(name, text)->configurable(false);
  starts->add_option("--name", text);
  add_access_options(*shows, access);
  add_access_options(*starts, other_access);
  CHECK(check_known(*shows, {"name", "x", "a.toml:7"}));
  CHECK(takes(*starts, "name"));
  CHECK_FALSE(takes(*shows, "name"));
  auto refused = check_known(*starts, {"state", "x", "a.toml:7"});
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message
        == "a.toml:7: 'state' is for the command line alone");
}

TEST_CASE("what any command takes is known to all", "[config]") {
  CLI::App program;
  MasterOptions master;
  AccessOptions access;
  auto* asks = program.add_subcommand("status");
  auto* leads = program.add_subcommand("master");
  add_master_options(*leads, master);
  add_access_options(*asks, access);
  // It takes no file.
  program.add_subcommand("certs")->add_option("--user", access.config);
  auto problem_of = [&](const std::string& name) {
    auto status = check_known(*asks, {name, "1", "a.toml:7"});
    return status ? "" : status.error().message;
  };
  for (const auto* name :
       {"master", "tls-key", "port", "seed", "spark.worker.timeout",
        "stoker.orphan.grace", "spark.cores.max", "spark.driver.memory",
        "spark.speculation", "spark.worker.resource.gpu.amount",
        "spark.executor.resource.a.b.amount"}) {
    INFO(name);
    CHECK(problem_of(name).empty());
  }
  CHECK(problem_of("masterr")
        == "a.toml:7: 'masterr' is not an option of any command (did you mean "
           "'master'?)");
  for (const auto* name :
       {"user", "config", "help", "spark.worker.resource.amount",
        "spark.worker.resource..amount", "spark.worker.resource.gpu.amounts"}) {
    INFO(name);
    CHECK(problem_of(name).starts_with("a.toml:7: "));
  }
}

TEST_CASE_METHOD(CommandLine, "a file cannot name another file", "[config]") {
  CHECK(problem_with("config = \"other.toml\"\n")
        == directory.path("master.toml")
               + ":1: 'config' is not an option of 'stoker master'");
}

TEST_CASE_METHOD(CommandLine, "a value of the wrong kind is refused",
                 "[config]") {
  CHECK(problem_with("\nport = \"high\"\n")
            .find(directory.path("master.toml") + ":2: ")
        == 0);
}

TEST_CASE_METHOD(CommandLine,
                 "rules of versions come from the command line or the file",
                 "[config]") {
  auto rules = [&] {
    Lines result;
    for (const auto& x : options.spark.version_rules)
      result.push_back(to_string(x));
    return result;
  };
  const std::string in_file{
      "spark-version-of = \"user:ann=3.4.4, app:NIGHTLY sums*=3.5.9\"\n"};
  SECTION("of the file") {
    parse({"--config", file(in_file)});
    CHECK(rules() == Lines{"user:ann=3.4.4", "app:NIGHTLY sums*=3.5.9"});
  }
  SECTION("of the command line, before the file's") {
    parse({"--spark-version-of", "user:ben=3.5.9", "--config", file(in_file),
           "--spark-version-of", "company:first=4.0.5,app:a*=4.1.4"});
    CHECK(rules()
          == Lines{"user:ben=3.5.9", "company:first=4.0.5", "app:a*=4.1.4"});
  }
  SECTION("and have to be some") {
    CHECK(problem_with("spark-version-of = \"ann=3.4.4\"\n")
          == directory.path("master.toml")
                 + ":1: --spark-version-of: 'ann=3.4.4' is no rule; one looks "
                   "like user:ann=3.4.4, company:NAME=4.0.5 or "
                   "app:NIGHTLY*=3.5.9");
  }
}

TEST_CASE_METHOD(CommandLine, "a setting without a value is refused",
                 "[config]") {
  try {
    parse({"--conf", "spark.worker.timeout"});
    FAIL("it was taken");
  } catch (const CommandError& e) {
    CHECK(std::string{e.what()}
          == "--conf: 'spark.worker.timeout' is not of the form NAME=VALUE");
  }
}

TEST_CASE("a key of more parts than anybody writes is refused", "[config]") {
  TemporaryDirectory directory;
  std::string deep;
  for (int i = 0; i < 50'000; ++i)
    deep += "a.";
  for (const auto& text : {deep + "b = 1\n", '[' + deep + "b]\n"})
    CHECK(problem_in(directory.write("deep.toml", "x = 1\n" + text))
              .ends_with("deep.toml:2: a key has too many parts"));
  // Dots of values, comments and names in quotes are none of its parts.
  const std::string dots(100, '.');
  for (const auto& text : {"x = \"" + dots + "\"\n", "# " + dots + "\n",
                           "\"" + dots + "\" = \"y\"\n"})
    CHECK(problem_in(directory.write("shallow.toml", text)).empty());
}
