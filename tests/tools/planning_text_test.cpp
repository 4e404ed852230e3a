// What people read of explanations, plans and queues.

#include <sstream>

#include "tests/support/catch.hpp"
#include "tests/support/contains.hpp"
#include "tools/stoker/planning_text.hpp"
#include "tools/stoker/queues_text.hpp"

using namespace stoker;

namespace {

template <class T>
std::string text_of(void (*print)(std::ostream&, const T&), const T& x) {
  std::ostringstream out;
  print(out, x);
  return out.str();
}

ExplanationResponse waiting() {
  ExplanationResponse x;
  x.found = true;
  x.app_id = AppId{"app-3"};
  x.name = "sort";
  x.user = "ann";
  x.state = ApplicationState::WAITING;
  x.cores_wanted = 4;
  x.blocker = Blocker::cores;
  x.position = 2;
  x.ahead.push_back({AppId{"app-2"}, "join", "ben", 1, 2, 6});
  x.reasons = {"there is too little", "another came before"};
  x.remedy = "another worker comes";
  x.estimate = StartEstimate{90'000, AppId{"app-1"}, "its time limit"};
  return x;
}

QueuesResponse queues() {
  QueuesResponse x;
  x.admitted.push_back({AppId{"app-1"}, "sort", "ann", 2, 8, 4});
  x.admitted.push_back({AppId{"app-2"}, "join", "ben", 0, 0, 16});
  x.admitted_in_all = 5;
  return x;
}

TenantsView tenants() {
  TenantsView x;
  CompanyView company;
  company.name = "first";
  company.place = 1;
  company.purchased = {512, 1024 * 1024};
  company.max_cores = 768;
  company.figures = {{128, 4096}, {64, 1536}, 3, 2};
  company.share = 0.25;
  UserView user;
  user.name = "ann";
  user.figures = company.figures;
  user.share = 0.1254;
  user.blocked = "user ann has enough";
  company.users.push_back(user);
  x.companies.push_back(company);
  CompanyView retired;
  retired.name = "gone";
  x.companies.push_back(retired);
  return x;
}

} // namespace

TEST_CASE("an explanation gives reasons, a remedy, an estimate and who is "
          "ahead",
          "[text]") {
  CHECK(text_of(print_explanation, waiting())
        == "app-3 'sort' of ann: WAITING, 0 executors, 0 cores, wants 4 cores "
           "more\n"
           "- there is too little\n"
           "- another came before\n"
           "Starts when another worker comes.\n"
           "Estimate: in about 90 s, when app-1 ends (guessed from its time "
           "limit).\n"
           "\n"
           "Ahead of it: 1 application\n"
           "  ID     NAME  USER  CORES  CORES WANTED\n"
           "  app-2  join  ben   2      6\n");
}

TEST_CASE("an explanation names holders and says how to free what is missing",
          "[text]") {
  auto x = waiting();
  x.ahead.clear();
  x.holders.push_back({AppId{"app-1"}, {}, "join", "ben", {4, 1024}, 0});
  x.holders.push_back({{}, DriverId{"driver-2"}, "sort", "cid", {1, 512}, 0});
  x.holders_in_all = 2;
  auto text = text_of(print_explanation, x);
  CHECK(test::contains(text, "\nHolders of what is missing\n"));
  CHECK(test::contains(text, "\n  app-1     join  ben   4      1 GB"));
  CHECK(test::contains(text, "\n  driver-2  sort  cid   1      512 MB"));
  CHECK(test::contains(text, "ends one with 'stoker kill ID'"));
  CHECK(test::contains(text, "spark.deploy.defaultCores of the master"));
  x.place.emplace();
  x.holders_in_all = 70;
  text = text_of(print_explanation, x);
  CHECK(test::contains(text, " (the largest of 70)\n"));
  CHECK(test::contains(text, "'default_cores' of the tenants file"));
}

TEST_CASE("what runs is told when another executor of it starts", "[text]") {
  auto x = waiting();
  x.executors = 2;
  CHECK(
      test::contains(text_of(print_explanation, x),
                     "\nAnother executor starts when another worker comes.\n"));
}

TEST_CASE("an explanation without an estimate says why there is none",
          "[text]") {
  auto x = waiting();
  x.estimate.reset();
  x.ahead.clear();
  x.position = 1;
  CHECK(text_of(print_explanation, x)
        == "app-3 'sort' of ann: WAITING, 0 executors, 0 cores, wants 4 cores "
           "more\n"
           "- there is too little\n"
           "- another came before\n"
           "Starts when another worker comes.\n"
           "Estimate: none; nothing tells when running programs will end.\n");
}

TEST_CASE("an explanation of what lacks nothing is short", "[text]") {
  ExplanationResponse x;
  x.app_id = AppId{"app-1"};
  x.name = "sort";
  x.user = "ann";
  x.state = ApplicationState::RUNNING;
  x.executors = 1;
  x.cores = 1;
  x.reasons = {"it has all"};
  CHECK(text_of(print_explanation, x)
        == "app-1 'sort' of ann: RUNNING, 1 executor, 1 core\n"
           "- it has all\n");
}

TEST_CASE("a plan shows what would start, who is affected, and what is left",
          "[text]") {
  PlanResponse x;
  x.starts.push_back(
      {AppId{"app-2"}, "sort", WorkerId{"new-worker-1"}, 2, 4, 3072});
  x.outcomes.push_back({AppId{"app-2"}, "sort", 1, 2, 0, ""});
  x.outcomes.push_back({{}, "big", 0, 0, 0, "too large"});
  x.drivers.push_back({DriverId{"driver-1"}, "drive", DriverState::RUNNING,
                       WorkerId{"w1"}, 1, 512, std::nullopt, "", 3});
  x.drivers.push_back({DriverId{"driver-2"}, "hook", DriverState::SUBMITTED,
                       std::nullopt, 2, 1024, std::nullopt, "no room", 0});
  x.total = {10, 10 * 1024};
  x.free = {6, 1536};
  CHECK(text_of(print_plan, x)
        == "Executors that would be started\n"
           "  APPLICATION  NAME  WORKER        EXECUTORS  CORES  MEMORY\n"
           "  app-2        sort  new-worker-1  2          4      3 GB\n"
           "\n"
           "Drivers that would be started, come or end\n"
           "  DRIVER    NAME   STATE      WORKER  CORES  MEMORY  RESERVED  "
           "WHY\n"
           "  driver-1  drive  RUNNING    w1      1      512 MB  3         \n"
           "  driver-2  hook   SUBMITTED  -       2      1 GB    0         "
           "no room\n"
           "\n"
           "Applications that would be affected\n"
           "  APPLICATION  NAME  LOST  STARTED  CORES WANTED  WHY\n"
           "  app-2        sort  1     2        0             \n"
           "               big   0     0        -             too large\n"
           "\n"
           "Afterwards 6 of 10 cores and 1536 MB of 10240 MB would be free.\n"
           "Nothing was changed.\n");
}

TEST_CASE("a plan of nothing says so", "[text]") {
  CHECK(text_of(print_plan, {})
        == "Executors that would be started\n"
           "  (none)\n"
           "\n"
           "Drivers that would be started, come or end\n"
           "  (none)\n"
           "\n"
           "Applications that would be affected\n"
           "  (none)\n"
           "\n"
           "Afterwards 0 of 0 cores and 0 MB of 0 MB would be free.\n"
           "Nothing was changed.\n");
}

TEST_CASE("queues show who is served, and how many more", "[text]") {
  CHECK(text_of(print_queues, queues())
        == "Applications that are served, in this order\n"
           "  POSITION  ID     NAME  USER  EXECUTORS  CORES  CORES WANTED\n"
           "  1         app-1  sort  ann   2          8      4\n"
           "  2         app-2  join  ben   0          0      16\n"
           "and 3 more\n");
}

TEST_CASE("queues show companies and their users, with tenants", "[text]") {
  QueuesResponse x;
  x.tenants = tenants();
  auto text = text_of(print_queues, x);
  INFO(text);
  for (const auto* words :
       {"Companies and users (cores / memory)\n",
        "first  1     25.0 %  512 / 1024 GB  768 / -  128 / 4 GB  64 / 1536 MB "
        " "
        "2         3",
        "ann  -     12.5 %", "user ann has enough", "gone   -     -",
        "There is room for more to be admitted.\n\n"})
    CHECK(text.find(words) != std::string::npos);
  x.tenants->full = "it is full";
  CHECK(text_of(print_queues, x).find("Nothing is admitted now: it is full.\n")
        != std::string::npos);
}

TEST_CASE("a text from somewhere else stays on its line of an explanation",
          "[text]") {
  auto x = waiting();
  x.name = "evil\n- \x1b[2J";
  x.user = "ann\x1b[2J";
  x.reasons.front() = "of evil\x1b[2J";
  auto text = text_of(print_explanation, x);
  CHECK(text.find('\x1b') == std::string::npos);
  CHECK(text.find("evil\n") == std::string::npos);
}
