// What `stoker top` shows: tools/stoker/top_view.hpp.

#include "tools/stoker/top_view.hpp"

#include <algorithm>

#include "tests/support/catch.hpp"
#include "tests/support/wide_texts.hpp"
#include "tools/stoker/text_width.hpp"

using namespace stoker;
using namespace stoker::test;

namespace {

WorkerInfo shown_worker(const std::string& id, int used, std::int64_t memory) {
  WorkerInfo result;
  result.id = WorkerId{id};
  result.host = "h-" + id;
  result.cores = 8;
  result.cores_used = used;
  result.memory_mb = 4096;
  result.memory_used_mb = memory;
  return result;
}

ApplicationInfo shown_app(const std::string& name, int cores,
                          std::int64_t memory_of_one) {
  ApplicationInfo result;
  result.id = AppId{"app-" + name};
  result.name = name;
  result.user = "ann";
  result.state
      = cores > 0 ? ApplicationState::RUNNING : ApplicationState::WAITING;
  result.cores_granted = cores;
  result.cores_per_executor = 1;
  result.memory_per_executor_mb = memory_of_one;
  return result;
}

MasterStateResponse busy_cluster() {
  MasterStateResponse result;
  result.status = RecoveryState::ALIVE;
  result.master_url = "stoker://one:7070";
  result.workers = {shown_worker("w1", 2, 1024), shown_worker("w2", 5, 512)};
  result.workers.push_back(shown_worker("w3", 0, 0));
  result.workers.back().state = WorkerState::DEAD;
  result.active_apps = {shown_app("zeta", 4, 64), shown_app("alpha", 1, 900),
                        shown_app("mid", 0, 64)};
  return result;
}

/// Where a text stands first; the number of lines: nowhere.
std::size_t place_of(const std::vector<std::string>& lines,
                     const std::string& text) {
  auto i = std::find_if(lines.begin(), lines.end(), [&](const auto& x) {
    return x.find(text) != std::string::npos;
  });
  return static_cast<std::size_t>(i - lines.begin());
}

bool shows(const std::vector<std::string>& lines, const std::string& text) {
  return place_of(lines, text) < lines.size();
}

} // namespace

TEST_CASE("a picture of a cluster begins with what is used in all") {
  auto lines = top_lines(busy_cluster(), {});
  CHECK(lines.at(0).starts_with("ALIVE stoker://one:7070"));
  CHECK(lines.at(1)
        == "2 workers alive, 1 not; 3 applications, 1 waiting; 0 drivers");
  CHECK(lines.at(2) == "Cores   [########------------] 7 of 16");
  CHECK(lines.at(3) == "Memory  [###-----------------] 1536 MB of 8192 MB");
  // What is lost is counted.
  CHECK_FALSE(shows(lines, "w3"));
  CHECK_FALSE(shows(lines, "Drivers"));
}

TEST_CASE("what uses most stands first, or names from a to z") {
  TopView view;
  auto order = [&](TopOrder by) {
    view.order = by;
    auto lines = top_lines(busy_cluster(), view);
    std::vector<std::pair<std::size_t, std::string>> places;
    for (const auto* name : {"w1", "w2", "zeta", "alpha", "mid"})
      places.emplace_back(place_of(lines, std::string{" "} + name + ' '), name);
    std::sort(places.begin(), places.end());
    std::string result;
    for (const auto& [place, name] : places)
      result += (result.empty() ? "" : " ") + name;
    return result;
  };
  CHECK(order(TopOrder::cores) == "w2 w1 zeta alpha mid");
  CHECK(order(TopOrder::memory) == "w1 w2 alpha zeta mid");
  CHECK(order(TopOrder::name) == "w1 w2 alpha mid zeta");
}

TEST_CASE("a picture fits its terminal, and says what it leaves out") {
  auto state = busy_cluster();
  for (int i = 0; i < 100; ++i)
    state.active_apps.push_back(shown_app("n" + std::to_string(i), 1, 64));
  TopView view;
  view.width = 40;
  for (std::size_t height = 1; height < 40; ++height) {
    INFO(height);
    view.height = height;
    auto lines = top_lines(state, view);
    CHECK(lines.size() <= height);
    for (const auto& line : lines)
      CHECK(line.size() <= 40);
  }
  view.height = 30;
  auto lines = top_lines(state, view);
  // Few workers leave their lines to applications.
  CHECK(shows(lines, "w1"));
  CHECK(shows(lines, "w2"));
  CHECK(shows(lines, "more"));
  CHECK(lines.size() >= 28);
}

TEST_CASE("a picture fits its terminal also where characters are wide") {
  auto state = busy_cluster();
  auto long_text = [](const std::string& part) {
    std::string result;
    for (int i = 0; i < 40; ++i)
      result += part;
    return result;
  };
  state.active_apps
      = {shown_app("1", 1, 64), shown_app("2", 1, 64), shown_app("3", 1, 64),
         shown_app("4", 0, 64), shown_app("5", 1, 64)};
  auto* app = state.active_apps.data();
  for (const auto* part : {chinese, korean, rocket, combined, full_width}) {
    app->name = long_text(part);
    app->user = long_text(part);
    ++app;
  }
  TopView view;
  view.reasons[AppId{"app-4"}] = long_text(chinese);
  for (std::size_t width = 20; width < 140; ++width) {
    INFO(width);
    view.width = width;
    for (const auto& line : top_lines(state, view)) {
      INFO(line);
      CHECK(cells_of(line) <= width);
    }
  }
  // What stands behind a name stands below its heading.
  auto lines = top_lines(state, view);
  auto heading = lines.at(place_of(lines, "ELAPSED"));
  auto column = cells_of(heading.substr(0, heading.find("STATE")));
  for (const auto* id : {"app-1", "app-2", "app-3", "app-5"}) {
    auto line = lines.at(place_of(lines, id));
    INFO(line);
    CHECK(cells_of(line.substr(0, line.find("RUNNING"))) == column);
  }
}

TEST_CASE("a low terminal shows a row of each part that has one") {
  auto state = busy_cluster();
  state.active_apps.pop_back();
  TopView view;
  view.width = 60;
  view.hint = "keys";
  view.height = 12;
  auto lines = top_lines(state, view);
  CHECK(lines.size() == 12);
  CHECK(shows(lines, "w1 "));
  CHECK(shows(lines, "w2 "));
  CHECK(shows(lines, " zeta "));
  CHECK(shows(lines, "Applications, and 1 more"));
  // One line more, and the row stands there.
  view.height = 13;
  lines = top_lines(state, view);
  CHECK(shows(lines, " alpha "));
  CHECK_FALSE(shows(lines, "more"));
  // Nothing is left out for an empty line.
  view.height = 15;
  CHECK(place_of(top_lines(state, view), "Workers") == 6);
}

TEST_CASE(
    "a low terminal shows a row of each part before it says below a title "
    "that there is none") {
  auto state = busy_cluster();
  state.active_apps.clear();
  for (int i = 0; i < 3; ++i) {
    auto& driver = state.active_drivers.emplace_back();
    driver.id = DriverId{"driver-" + std::to_string(i)};
  }
  TopView view;
  view.hint = "keys";
  view.height = 12;
  auto lines = top_lines(state, view);
  CHECK(lines.size() == 12);
  CHECK(shows(lines, "Workers, and 1 more"));
  CHECK(shows(lines, "w2 "));
  CHECK(shows(lines, "Applications (none)"));
  CHECK(shows(lines, "Drivers, and 2 more"));
  CHECK(shows(lines, "driver-0 "));
  // Where each has a row, it stands where it always does.
  view.height = 13;
  lines = top_lines(state, view);
  CHECK(lines.at(place_of(lines, "Applications") + 1) == "  (none)");
  CHECK(shows(lines, "driver-0 "));
}

TEST_CASE("a terminal that is too low for a row of each part has all titles") {
  auto state = busy_cluster();
  state.active_drivers.resize(4);
  auto without_apps = state;
  without_apps.active_apps.clear();
  TopView view;
  view.hint = "keys";
  for (std::size_t height = 8; height < 14; ++height) {
    INFO(height);
    view.height = height;
    for (const auto& x : {state, without_apps}) {
      auto lines = top_lines(x, view);
      CHECK(lines.size() <= height);
      for (const auto* title : {"Workers", "Applications", "Drivers"})
        CHECK(std::any_of(lines.begin(), lines.end(), [&](const auto& line) {
          return line.starts_with(title);
        }));
    }
  }
}

TEST_CASE("a usual terminal has room for what matters") {
  auto state = busy_cluster();
  auto app = [](int number, ApplicationState status) {
    auto result = shown_app("simulation of a whole ocean", 4, 512);
    result.id = AppId{"app-20261127074600-000" + std::to_string(number)};
    result.user = "annabelle";
    result.state = status;
    result.instances = 16;
    result.instances_done = 3;
    return result;
  };
  state.active_apps
      = {app(1, ApplicationState::RUNNING), app(2, ApplicationState::WAITING),
         app(3, ApplicationState::WAITING)};
  state.active_apps.back().waits_for = {"app-20261127074600-0001"};
  state.workers.clear();
  for (int i = 0; i < 3; ++i)
    state.workers.push_back(shown_worker(
        "worker-20261127074600-192.168.100.10-4012" + std::to_string(i), i,
        512));
  DriverInfo driver;
  driver.id = DriverId{"driver-20261127074600-0001"};
  driver.name = "nightly evaluation";
  driver.user = "annabelle";
  driver.state = DriverState::RUNNING;
  driver.worker_id = state.workers.front().id;
  state.active_drivers = {driver};
  TopView view;
  view.width = 80;
  view.height = 24;
  view.hint = "keys";
  view.reasons[AppId{"app-20261127074600-0002"}] = "no worker has 4 cores free";
  view.reasons[AppId{"app-20261127074600-0001"}] = "it runs";
  auto lines = top_lines(state, view);
  CHECK(lines.size() <= 24);
  for (const auto& line : lines) {
    INFO(line);
    CHECK(line.size() <= 80);
    // Nothing was cut off at the right.
    CHECK_FALSE(line.ends_with("..."));
  }
  for (const auto* text :
       {"...-192.168.100.10-40121 ", "CORES USED", "512 MB of 4096 MB",
        "3 of 16", "ELAPSED", "driver-20261127074600-0001",
        "app-20261127074600-0002 waits: no worker has 4 cores free",
        "app-20261127074600-0003 waits for app-20261127074600-0001"}) {
    INFO(text);
    CHECK(shows(lines, text));
  }
  CHECK_FALSE(shows(lines, "it runs"));
  // Where all is wide enough, all is there.
  view.width.reset();
  lines = top_lines(state, view);
  CHECK(shows(lines, "worker-20261127074600-192.168.100.10-40121"));
  CHECK(shows(lines, "[#---------]"));
  // Rows come first.
  view.height = 20;
  CHECK_FALSE(shows(top_lines(state, view), "waits"));
}

TEST_CASE("a name can neither break a picture nor command the terminal") {
  auto state = busy_cluster();
  state.active_apps.front().name = "\033[2Jevil\n";
  for (const auto& line : top_lines(state, {}))
    CHECK(line.find_first_of("\033\n") == std::string::npos);
}

TEST_CASE("a bar shows what is used, and a little where it is little") {
  CHECK(usage_bar(0, 8, 4) == "[----]");
  CHECK(usage_bar(1, 80, 4) == "[#---]");
  CHECK(usage_bar(8, 8, 4) == "[####]");
  CHECK(usage_bar(9, 8, 4) == "[####]");
  CHECK(usage_bar(0, 0, 4) == "[----]");
}
