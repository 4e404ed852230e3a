// Defaults of options that a configuration file gives: tools/stoker/option_defaults.hpp.

#include "tools/stoker/option_defaults.hpp"

#include <memory>

#include "tests/support/catch.hpp"
#include "tools/stoker/command_error.hpp"

using namespace stoker;

namespace {

/// A command with options that exclude each other, each in its way.
struct Defaulted {
  CLI::App app;
  int limit = 100;
  bool monthly = false;
  bool by_user = false;
  bool barrier = false;
  std::string input;
  bool words_typed = false;
  int retries = 5;
  bool hook = false;
  std::string memory = "none";
  std::string resource = "none";
  int restarts = 0;
  std::vector<std::string> conf;
  OptionRules rules{
      {{"--barrier", "--stdin", "nobody reads", {}},
       {"--barrier", ":::", "all are the same",
        [this] { return words_typed; }}},
      {{"--retries", "needs --hook or words",
        [this] { return hook || words_typed; }}},
      {{"--memory", "x.memory", {}},
       {"--resource", "x.resource.NAME.amount", {}},
       {"--restarts", "x.supervise", "false"}},
  };

  Defaulted() {
    app.name("show");
    auto* number = app.add_option("--limit", limit);
    auto* months = app.add_flag("--monthly", monthly)->excludes(number);
    app.add_flag("--by-user", by_user)->needs(months);
    app.add_flag("--barrier", barrier);
    app.add_option("--stdin", input);
    app.add_option("--retries", retries);
    app.add_flag("--hook", hook);
    app.add_option("--memory", memory);
    app.add_option("--resource", resource);
    app.add_option("--restarts", restarts);
    app.add_option("--conf", conf)->allow_extra_args(false);
  }

  /// @return What is wrong.
  std::string give(const std::string& typed,
                   const std::vector<std::pair<std::string, std::string>>& x) {
    app.parse(typed);
    std::vector<Setting> entries;
    for (const auto& [name, value] : x)
      entries.push_back(
          {name, value, "f:" + std::to_string(entries.size() + 1)});
    try {
      check_rules(app, rules);
      give_defaults(app, entries, rules);
    } catch (const CommandError& e) {
      return e.what();
    }
    return {};
  }
};

} // namespace

TEST_CASE_METHOD(Defaulted, "what is typed counts more than a default") {
  CHECK(give("--limit 5", {{"limit", "50"}, {"barrier", "true"}}).empty());
  CHECK(limit == 5);
  CHECK(barrier);
}

TEST_CASE_METHOD(Defaulted, "what is typed drops defaults that it excludes") {
  SECTION("an option") {
    CHECK(give("--monthly", {{"limit", "50"}}).empty());
    CHECK(limit == 100);
  }
  SECTION("the other way round") {
    CHECK(
        give("--limit 5", {{"monthly", "true"}, {"by-user", "true"}}).empty());
    CHECK_FALSE(monthly);
    CHECK_FALSE(by_user);
  }
  SECTION("with a reason") {
    CHECK(give("--stdin one", {{"barrier", "true"}}).empty());
    CHECK_FALSE(barrier);
  }
  SECTION("what is no option") {
    words_typed = true;
    CHECK(give("", {{"barrier", "true"}}).empty());
    CHECK_FALSE(barrier);
  }
}

TEST_CASE_METHOD(Defaulted, "entries that exclude each other are an error of "
                            "their file") {
  CHECK(give("", {{"limit", "50"}, {"monthly", "true"}})
        == "f:2: 'monthly' and 'limit' (f:1) exclude each other");
}

TEST_CASE_METHOD(Defaulted, "entries that exclude each other for a reason say "
                            "it") {
  CHECK(give("", {{"barrier", "true"}, {"stdin", "one"}})
        == "f:2: 'stdin' and 'barrier' (f:1) exclude each other: nobody reads");
}

TEST_CASE_METHOD(Defaulted, "a flag that is false excludes nothing") {
  CHECK(give("", {{"monthly", "false"}, {"limit", "50"}}).empty());
  CHECK(limit == 50);
}

TEST_CASE_METHOD(Defaulted, "a default that needs another waits for it") {
  CHECK(give("", {{"by-user", "true"}, {"monthly", "true"}}).empty());
  CHECK(monthly);
  CHECK(by_user);
}

TEST_CASE_METHOD(Defaulted, "a default whose need is not met is none") {
  CHECK(give("", {{"retries", "9"}}).empty());
  CHECK(retries == 5);
}

TEST_CASE_METHOD(Defaulted, "a default whose need is met is taken, whoever "
                            "meets it") {
  SECTION("the command line") {
    CHECK(give("--hook", {{"retries", "9"}}).empty());
  }
  SECTION("an entry behind it") {
    CHECK(give("", {{"retries", "9"}, {"hook", "true"}}).empty());
  }
  SECTION("what is no option") {
    words_typed = true;
    CHECK(give("", {{"retries", "9"}}).empty());
  }
  CHECK(retries == 9);
}

TEST_CASE_METHOD(Defaulted, "what is typed without what it needs is refused "
                            "with its reason") {
  CHECK(give("--retries 9", {}) == "--retries needs --hook or words");
}

TEST_CASE_METHOD(Defaulted, "an empty text excludes nothing") {
  CHECK(give("", {{"stdin", ""}, {"barrier", "true"}}).empty());
  CHECK(barrier);
}

TEST_CASE_METHOD(Defaulted, "what is typed and excludes each other is refused "
                            "with its reason") {
  CHECK(give("--barrier --stdin one", {})
        == "--barrier and --stdin exclude each other: nobody reads");
}

TEST_CASE_METHOD(Defaulted, "what is no option of the command is told") {
  CHECK(give("", {{"limitt", "5"}})
        == "f:1: 'limitt' is not an option of 'stoker show' (did you mean "
           "'limit'?)");
  CHECK(limit == 100);
}

TEST_CASE_METHOD(Defaulted, "a setting on the command line counts more than a "
                            "default that stands for it") {
  CHECK(give("--conf x.memory=2g", {{"memory", "1g"}}).empty());
  CHECK(memory == "none");
}

TEST_CASE_METHOD(Defaulted, "an option on the command line counts, whatever a "
                            "setting says") {
  CHECK(give("--memory 3g --conf x.memory=2g", {{"memory", "1g"}}).empty());
  CHECK(memory == "3g");
}

TEST_CASE_METHOD(Defaulted, "a default stands beside settings that it does not "
                            "stand for") {
  SECTION("another one") {
    CHECK(give("--conf x.cores=2", {{"memory", "1g"}}).empty());
  }
  SECTION("one of the same file") {
    CHECK(give("", {{"conf", "x.memory=2g"}, {"memory", "1g"}}).empty());
    CHECK(conf == std::vector<std::string>{"x.memory=2g"});
  }
  SECTION("what is none") {
    CHECK(give("--conf x.memory", {{"memory", "1g"}}).empty());
  }
  CHECK(memory == "1g");
}

TEST_CASE_METHOD(Defaulted, "a default of a resource stands for the setting of "
                            "that resource") {
  SECTION("this one") {
    CHECK(give("--conf x.resource.gpu.amount=1", {{"resource", "gpu=2"}})
              .empty());
    CHECK(resource == "none");
  }
  SECTION("another one") {
    CHECK(give("--conf x.resource.fpga.amount=1", {{"resource", "gpu=2"}})
              .empty());
    CHECK(resource == "gpu=2");
  }
}

TEST_CASE_METHOD(Defaulted, "a default may give way to one value of a setting, "
                            "the last that is given") {
  SECTION("that one") {
    CHECK(give("--conf x.supervise=true --conf x.supervise=false",
               {{"restarts", "2"}})
              .empty());
    CHECK(restarts == 0);
  }
  SECTION("another one") {
    CHECK(give("--conf x.supervise=false --conf x.supervise=true",
               {{"restarts", "2"}})
              .empty());
    CHECK(restarts == 2);
  }
}
