// Files that say who shares a cluster: tools/stoker/tenants_file.hpp.

#include "tools/stoker/tenants_file.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace stoker;
using namespace std::chrono_literals;
using stoker::test::TemporaryDirectory;

namespace {

TenantsConfig config_in(const std::string& path) {
  auto result = read_tenants_file(path);
  INFO((result ? "" : result.error().message));
  REQUIRE(result);
  return *result;
}

/// What is said of a file with this content, without the file's name.
std::string problem_with(const std::string& content) {
  TemporaryDirectory directory;
  auto path = directory.write("tenants.toml", content);
  auto result = read_tenants_file(path);
  REQUIRE_FALSE(result);
  const auto& message = result.error().message;
  REQUIRE(message.starts_with(path + ':'));
  return message.substr(path.size() + 1);
}

} // namespace

TEST_CASE("the example file is read as it says", "[tenants]") {
  auto config = config_in(std::string{STOKER_TEST_DATA}
                          + "/../../examples/tenants.toml");
  TenantsConfig expected;
  expected.default_company = "third";
  expected.admit_in_part = true;
  constexpr std::int64_t g = 1024;
  expected.companies = {{"first", 512, 1024 * g, 768, {}},
                        {"second", 128, 256 * g, {}, {}},
                        {"third", 1024, 2048 * g, {}, {}}};
  expected.users = {{"ann", "first", {}, {}, {}},
                    {"ben", "first", 256, 512 * g, 20},
                    {"cleo", "second", {}, {}, {}}};
  CHECK(config == expected);
}

TEST_CASE("all rules can be changed, and companies keep their order",
          "[tenants]") {
  TemporaryDirectory directory;
  auto config = config_in(directory.write("tenants.toml", R"(
[policy]
accounting = "running"
company_order = "usage"
usage_half_life = "90m"
user_order = "occupancy"
application_order = "sql-first"
priorities = true
cap_at_purchased = true
hold_after = 0
default_cores = 16
[executor]
min_cores = 2
min_memory = "512m"
[companies.z]
[companies."a b"]
)"));
  CHECK(config.accounting == Accounting::running);
  CHECK(config.company_order == CompanyOrder::usage);
  CHECK(config.usage_half_life == 90min);
  CHECK(config.user_order == UserOrder::occupancy);
  CHECK(config.application_order == ApplicationOrder::sql_first);
  CHECK(config.priorities);
  CHECK(config.cap_at_purchased);
  CHECK(!config.default_company);
  CHECK(config.hold_after == 0);
  CHECK(config.default_request_cores == 16);
  CHECK(config.min_executor_cores == 2);
  CHECK(config.min_executor_memory_mb == 512);
  REQUIRE(config.companies.size() == 2);
  CHECK(config.companies[0].name == "z");
  CHECK(config.companies[1].name == "a b");
}

TEST_CASE("what is wrong is told with its line", "[tenants]") {
  auto [content, problem] = GENERATE(table<std::string, std::string>({
      {"", "1: there must be 1 to 10000 companies"},
      {"[companies.a\n", "1: "},
      {"[companies.a]\n[companies.a]\n", "2: "},
      {"[companies.a]\n[users]\nann = 1\n", "3: users.ann must be a table"},
      {"[companies.a]\ncore = 1\n", "2: unknown key core in companies.a"},
      {"[companies.a]\n[group.b]\n", "2: unknown table group; there are "
                                     "policy, executor, workers, companies and "
                                     "users"},
      {"default_company = \"a\"\n[companies.a]\n",
       "1: default_company stands outside of all tables: it belongs in "
       "[policy]"},
      {"cores = 4\n[companies.a]\n",
       "1: cores stands outside of all tables: it belongs in [workers] or "
       "[companies.NAME]"},
      {"max_applications = 4\n[companies.a]\n",
       "1: max_applications stands outside of all tables: it belongs in "
       "[users.NAME]"},
      {"[companies.a]\n[default_company]\n",
       "2: unknown table default_company; there are policy, executor, "
       "workers, companies and users"},
      {"core = 4\n[companies.a]\n",
       "1: unknown key core outside of all tables"},
      {"[companies.a]\ncores = \"1\"\n",
       "2: companies.a: cores must be a whole number of at most 2147483647"},
      {"[companies.a]\ncores = 5000000000\n",
       "2: companies.a: cores must be a whole number of at most 2147483647"},
      {"[companies.a]\ncores = 0\n",
       "2: company a: cores must be 1 to 1000000"},
      {"[companies.a]\ncores = -1\n",
       "2: company a: cores must be 1 to 1000000"},
      {"[companies.a]\nmemory = 4\n",
       "2: companies.a: memory must be a memory size in quotes, like "
       "\"512m\" or \"4g\""},
      {"[companies.a]\nmemory = \"4\"\n",
       "2: companies.a: memory must be a memory size in quotes, like "
       "\"512m\" or \"4g\""},
      {"[companies.a]\nmemory = \"4h\"\n",
       "2: companies.a: memory must be a memory size in quotes, like "
       "\"512m\" or \"4g\""},
      {"[companies.a]\n[policy]\naccounting = \"real\"\n",
       "3: policy: accounting must be \"requested\" or \"running\""},
      {"[companies.a]\n[policy]\npriorities = 1\n",
       "3: policy: priorities must be true or false"},
      {"[companies.a]\n[policy]\nusage_half_life = \"1\"\n",
       "3: policy: usage_half_life must be a duration in quotes, like "
       "\"30m\" or \"24h\""},
      {"[companies.a]\n[policy]\nusage_half_life = \"0s\"\n",
       "3: usage_half_life must be greater than 0, and at most 36500 days"},
      {"[companies.a]\n\n[policy]\ndefault_company = \"b\"\n",
       "4: default_company is b, which is no company"},
      {"[companies.a]\n[executor]\nmin_cores = 32\n",
       "3: the smallest executor must have 1 to 16 cores"},
      {"[companies.a]\n[users.ann]\ncompany = \"a\"\n"
       "[users.ben]\ncompany = \"b\"\n",
       "5: user ben is of company b, which is no company"},
      {"[companies.\"a\\nb\"]\n",
       "1: the name of a company must be 1 to 256 printable bytes"},
      {"[companies.a]\n\"x\\ny\" = 1\n", "2: unknown key x y in companies.a"},
  }));
  INFO(content);
  auto text = problem_with(content);
  if (problem.size() == 3)
    CHECK(text.starts_with(problem));
  else
    CHECK(text == problem);
  CHECK(text.find('\n') == std::string::npos);
}

TEST_CASE("a cap below the purchase is doubtful, and told with its line",
          "[tenants]") {
  TemporaryDirectory directory;
  auto path = directory.write("tenants.toml", R"([companies.a]
cores = 4
memory = "4g"
max_memory = "1g"
max_cores = 2
[companies.b]
cores = 4
max_cores = 4
[companies.c]
max_cores = 1
)");
  auto checked = check_tenants_file(path);
  REQUIRE(checked);
  CHECK(checked->doubts
        == std::vector<std::string>{
            path
                + ":5: company a: max_cores (2) is less than cores (4), so it "
                  "cannot use all that it purchased",
            path
                + ":4: company a: max_memory (1024 MB) is less than memory "
                  "(4096 MB), so it cannot use all that it purchased"});
  CHECK(checked->tenants.companies.size() == 3);
}

TEST_CASE("a file that cannot be read is named", "[tenants]") {
  TemporaryDirectory directory;
  auto problem = [](const std::string& path) {
    return read_tenants_file(path).error().message;
  };
  auto missing = directory.path("missing");
  CHECK(problem(missing)
        == "cannot read the tenants file " + missing
               + ": No such file or directory");
  CHECK(problem("/dev/null")
        == "cannot read the tenants file /dev/null: not a regular file");
  auto large = directory.write("large", std::string((16u << 20) + 1, '#'));
  CHECK(problem(large)
        == "cannot read the tenants file " + large
               + ": it is larger than 16 MB");
}

TEST_CASE("a file may say how many workers a machine has", "[tenants]") {
  TemporaryDirectory directory;
  auto path = directory.write("tenants.toml", R"(
[workers]
instances = 4
cores = 8
memory = "16g"
[companies.one]
)");
  CHECK(config_in(path).companies.size() == 1);
  auto workers = read_node_workers(path);
  REQUIRE(workers);
  CHECK(workers->instances == 4);
  CHECK(workers->cores == 8);
  CHECK(workers->memory_mb == 16 * 1024);
  auto none
      = read_node_workers(directory.write("none.toml", "[companies.one]\n"));
  REQUIRE(none);
  CHECK(none->instances == 1);
  CHECK_FALSE(none->cores);
  CHECK_FALSE(none->memory_mb);
}

TEST_CASE("a wrong number of workers is named with its line", "[tenants]") {
  CHECK(problem_with("\n[workers]\ninstances = 0\n")
        == "3: workers: instances must be from 1 to 1000");
  CHECK(problem_with("[workers]\ncores = 0\n")
        == "2: workers: a worker needs at least 1 core and 1 MB");
  CHECK(problem_with("[workers]\nmemory = 5\n").find("memory must be")
        != std::string::npos);
  CHECK(problem_with("[workers]\nper_node = 5\n")
        == "2: unknown key per_node in workers");
}
