// What happened last, and the decision behind it.

#include "web/event_log.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <sstream>
#include <string>
#include <utility>

#include <boost/json/parse.hpp>

#include "tests/support/catch.hpp"
#include "tests/support/contains.hpp"
#include "tests/support/json_schema.hpp"
#include "web/event_readers.hpp"
#include "web/openapi.hpp"

using namespace stoker;
using namespace stoker::test;

namespace {

/// A cluster that changes, and the log of that.
struct Watched {
  ClusterCopy copy;
  EventLog log;
  std::uint64_t batch = 0;

  explicit Watched(std::size_t limit = 100, Instant begun = {}) : log(limit) {
    FeedUpdate update;
    update.position = {LeaderEpoch{1}, 0};
    auto stored = std::make_shared<StoredState>();
    update.snapshot = stored;
    log.begin(*stored, begun);
    copy.follow(update);
  }

  void change(const Changes& changes) {
    FeedUpdate update;
    update.position = {LeaderEpoch{1}, ++batch};
    copy.begin(update);
    for (const auto& x : changes) {
      log.note(x, copy, from_ms(5));
      copy.apply(x);
    }
  }

  [[nodiscard]] const LoggedEvent& last() const {
    REQUIRE_FALSE(log.events().empty());
    return log.events().back();
  }
};

StoredWorker four_cores(const std::string& id) {
  StoredWorker x;
  x.id = WorkerId{id};
  x.cores = 4;
  x.memory_mb = 4096;
  return x;
}

StoredApplication app_of_ann(const std::string& id) {
  StoredApplication x;
  x.id = AppId{id};
  x.description.user = "ann";
  x.requested = {6, 1024};
  return x;
}

StoredExecutor three_cores(const std::string& app, int id,
                           const std::string& worker) {
  StoredExecutor x;
  x.app_id = AppId{app};
  x.exec_id = id;
  x.worker_id = WorkerId{worker};
  x.host = "h1";
  x.cores = 3;
  x.memory_mb = 1024;
  return x;
}

} // namespace

TEST_CASE("an executor that starts is logged with what was free there",
          "[web]") {
  Watched cluster;
  cluster.change({four_cores("w1")});
  auto app = app_of_ann("app-1");
  app.turn = 1;
  app.description.max_cores = 6;
  app.preferred_hosts["h1"] = 1;
  cluster.change({app});
  CHECK(cluster.last().decision
        == "It is admitted, and asks for 6 cores and 1 GB.");
  cluster.change({three_cores("app-1", 0, "w1")});
  CHECK(cluster.last().line.event == std::string{"executor-started"});
  CHECK(cluster.last().decision
        == "w1 had 4 cores and 4 GB free of 4 cores and 4 GB. The application "
           "asks for 6 cores, had none and prefers h1.");
  CHECK(cluster.last().at == from_ms(5));
  cluster.change({three_cores("app-1", 1, "w1")});
  CHECK(contains(cluster.last().decision, "1 core and 3 GB free"));
  CHECK(contains(cluster.last().decision, "asks for 6 cores, had 3 cores and"));
  app.description.max_cores = 1;
  app.preferred_hosts.clear();
  app.id = AppId{"app-2"};
  cluster.change({app, three_cores("app-2", 0, "w1")});
  CHECK(cluster.last().decision.ends_with(
      "The application asks for 1 core and had none."));
}

TEST_CASE(
    "an application is logged with what it waits for without tenants, too",
    "[web]") {
  Watched cluster;
  auto app = app_of_ann("app-1");
  app.turn = 1;
  app.requested = {};
  app.cores_per_executor = 1;
  app.memory_per_executor_mb = 64;
  auto decision = [&] {
    cluster.change({app});
    app.id.value += '0';
    return cluster.last().decision;
  };
  CHECK(decision()
        == "It is admitted, and waits for executors with 1 core and 64 MB "
           "each.");
  app.executor_limit = 3;
  CHECK(decision()
        == "It is admitted, and waits for 3 executors with 1 core and 64 MB "
           "each.");
  app.description.instances = Instances{1};
  CHECK(decision() == "It is admitted, and waits for 1 core and 64 MB.");
  // All cores of a worker.
  app.cores_per_executor.reset();
  CHECK(decision()
        == "It is admitted, and waits for at least 1 core and 64 MB.");
}

TEST_CASE("what ends is logged with what is free then", "[web]") {
  Watched cluster;
  cluster.change({four_cores("w1"), three_cores("app-1", 0, "w1")});
  auto ended = three_cores("app-1", 0, "w1");
  ended.state = ExecutorState::EXITED;
  ended.ended = Instant{};
  cluster.change({ended});
  CHECK(cluster.last().decision == "3 cores and 1 GB of w1 are free.");
}

TEST_CASE("an application that ends is logged with what it leaves, and to whom",
          "[web]") {
  Watched cluster;
  auto app = app_of_ann("app-1");
  app.turn = 1;
  app.state = ApplicationState::RUNNING;
  cluster.change({four_cores("w1"), app});
  app.state = ApplicationState::FINISHED;
  SECTION("nothing") {
    cluster.change({app});
    CHECK(cluster.last().line.event == std::string{"application-ended"});
    CHECK(cluster.last().decision
          == "Its driver has said that it is done. It held nothing any more. "
             "No application waits for room.");
  }
  SECTION("its executors end with it, and others wait") {
    auto ending = three_cores("app-1", 0, "w1");
    cluster.change({ending});
    ending.state = ExecutorState::KILLED;
    ending.ended = Instant{};
    ending.ending = true;
    auto second = app_of_ann("app-2");
    second.number = 2;
    second.turn = 3;
    auto third = app_of_ann("app-3");
    third.number = 3;
    third.turn = 2;
    app.state = ApplicationState::KILLED;
    app.message = "killed on request";
    cluster.change({second, third, ending, app});
    CHECK(cluster.last().decision
          == "3 cores and 1 GB are free as soon as its executors are gone. 2 "
             "applications wait for room, app-3 is the first of them.");
  }
  SECTION("one that has waited itself is not counted") {
    app.state = ApplicationState::WAITING;
    cluster.change({app});
    app.state = ApplicationState::FAILED;
    auto second = app_of_ann("app-2");
    second.number = 2;
    second.turn = 3;
    cluster.change({second, app});
    CHECK(cluster.last().decision
          == "It held nothing any more. 1 application waits for room: app-2.");
  }
}

TEST_CASE("a driver that starts again keeps its place", "[web]") {
  Watched cluster;
  StoredDriver driver;
  driver.id = DriverId{"driver-1"};
  driver.description.cores = 4;
  driver.worker_id = WorkerId{"w1"};
  driver.state = DriverState::RUNNING;
  cluster.change({four_cores("w1"), driver});
  driver.restarts = 2;
  driver.description.max_restarts = 5;
  cluster.change({driver});
  CHECK(cluster.last().line.event == std::string{"driver-restarts"});
  CHECK(cluster.last().decision
        == "It keeps its place on w1: restart 2 of at most 5.");
}

TEST_CASE("one who waits, and a worker that comes for him, are logged as that",
          "[web]") {
  Watched cluster;
  cluster.change({app_of_ann("app-1")});
  CHECK(cluster.last().decision
        == "It waits in the queue of ann, and asks for 6 cores and 1 GB.");
  cluster.change({four_cores("w1")});
  CHECK(cluster.last().decision == "1 application waits for room.");
  cluster.change(
      {three_cores("app-1", 0, "w1"), EraseWorker{WorkerId{"w1"}, "x"}});
  CHECK(cluster.last().line.is_warning);
  CHECK(cluster.last().decision == "1 executor ended with it.");
}

TEST_CASE("drivers of a worker that goes are counted, too", "[web]") {
  Watched cluster;
  StoredDriver driver;
  driver.id = DriverId{"driver-1"};
  driver.worker_id = WorkerId{"w1"};
  driver.state = DriverState::RUNNING;
  auto leaving = four_cores("w1");
  cluster.change({leaving, driver});
  leaving.state = WorkerState::DECOMMISSIONED;
  cluster.change({leaving});
  CHECK(cluster.last().decision
        == "Nothing more starts there; 1 driver may end.");
  cluster.change(
      {three_cores("app-1", 0, "w1"), EraseWorker{WorkerId{"w1"}, "x"}});
  CHECK(cluster.last().decision == "1 executor and 1 driver ended with it.");
}

TEST_CASE("a log keeps the last lines, with numbers that stay", "[web]") {
  Watched cluster{3};
  for (int i = 0; i < 5; ++i)
    cluster.change({four_cores("w" + std::to_string(i))});
  REQUIRE(cluster.log.events().size() == 3);
  CHECK(cluster.log.events().front().number == 3);
  CHECK(cluster.last().number == 5);
}

TEST_CASE("numbers go on over a restart of the master", "[web]") {
  Watched before{100, from_ms(7000)};
  before.change({four_cores("w1")});
  CHECK(before.last().number == 7'000'001);
  Watched after{100, from_ms(7001)};
  after.change({four_cores("w1")});
  CHECK(after.last().number > before.last().number + 1);
}

TEST_CASE("an event names its fields' whole values", "[web]") {
  LoggedEvent x;
  x.line.fields = "app=app-10 executor=3 user=\"ann b\" message=\"of app-1\"";
  for (const auto* name : {"app-10", "3", "ann b", "of app-1", "app-10/3"})
    CHECK(names(x, name));
  for (const auto* name : {"", "app-1", "pp-10", "ann", "app-10/", "app-10/30",
                           "app-1/3", "/3", "app", "app=app-10", "user"})
    CHECK_FALSE(names(x, name));
}

namespace {

/// Somebody who goes on after an event.
class Follower {
public:
  explicit Follower(std::uint64_t after, const std::string& of = {}) {
    stream_->attach([this](const HttpStream::Piece& x) { read_ += *x; });
    readers_.add(stream_, after, of);
  }
  ~Follower() {
    stream_->close();
  }
  Follower(const Follower&) = delete;
  Follower& operator=(const Follower&) = delete;

  /// What he is sent, and reads.
  std::string shown(const EventLog& log) {
    readers_.show(log);
    return read();
  }

  /// The same, where only those are shown more who have read.
  std::string shown_more(const EventLog& log) {
    readers_.show_to(*stream_, log);
    return read();
  }

  /// Somebody else has read.
  void another_reads(const EventLog& log) {
    readers_.show_to(HttpStream{}, log);
  }
  [[nodiscard]] std::size_t unsent() const {
    return stream_->unsent();
  }
  std::string read() {
    stream_->sent(stream_->unsent());
    return std::exchange(read_, {});
  }

private:
  EventReaders readers_;
  std::shared_ptr<HttpStream> stream_ = std::make_shared<HttpStream>();
  std::string read_;
};

/// What somebody is sent who goes on after an event.
std::string sent_after(const EventLog& log, std::uint64_t after,
                       const std::string& of = {}) {
  return Follower{after, of}.shown(log);
}

/// What he is sent where something may be missing after it.
std::string missed(std::uint64_t after) {
  return "event: missed\ndata: {\"after\":" + std::to_string(after) + "}\n\n";
}

} // namespace

TEST_CASE("who follows events is told where something may be missing",
          "[web]") {
  Watched cluster{3, from_ms(1)};
  for (int i = 0; i < 5; ++i)
    cluster.change({four_cores("w" + std::to_string(i))});
  // There are 1,003 to 1,005.
  CHECK(sent_after(cluster.log, 1005).empty());
  CHECK(sent_after(cluster.log, 1004).starts_with("id: 1005\n"));
  CHECK(sent_after(cluster.log, 1002).starts_with("id: 1003\n"));
  for (std::uint64_t after : {7, 1001, 2000})
    CHECK(
        sent_after(cluster.log, after).starts_with(missed(after) + "id: 1003"));
  CHECK(sent_after(cluster.log, 0).starts_with("id: 1003\n"));
  CHECK(sent_after(cluster.log, 0, "w4").starts_with("id: 1005\n"));
}

TEST_CASE(
    "who goes on is told of a gap at once, though nothing happens after it",
    "[web]") {
  // Another master, or the same one that was started again.
  Watched cluster{3, from_ms(2)};
  Follower one{1005};
  CHECK(one.shown(cluster.log) == missed(1005));
  CHECK(one.shown(cluster.log).empty());
  CHECK(sent_after(cluster.log, 2000).empty());
  CHECK(sent_after(cluster.log, 0).empty());
  cluster.change({four_cores("w1")});
  CHECK(one.shown(cluster.log).starts_with("id: 2001\n"));
}

TEST_CASE("who has followed is told of a gap between events that there are",
          "[web]") {
  Watched cluster{3, from_ms(1)};
  Follower who_reads{0};
  CHECK(who_reads.shown(cluster.log).empty());
  cluster.log.begin({}, from_ms(2));
  CHECK(who_reads.shown(cluster.log) == missed(1000));
  cluster.change({four_cores("w1")});
  CHECK(who_reads.shown(cluster.log).starts_with("id: 2001\n"));
  cluster.log.begin({}, from_ms(3));
  cluster.change({four_cores("w2")});
  auto after_both = sent_after(cluster.log, 2000);
  CHECK(after_both.starts_with("id: 2001\n"));
  CHECK(contains(after_both, "\n\n" + missed(2001) + "id: 3001\n"));
}

TEST_CASE(
    "who reads events is sent a limited number of bytes at once, and more "
    "when he has read them",
    "[web]") {
  constexpr std::size_t at_once = 256 * 1024;
  constexpr std::size_t longest = 4096;
  constexpr int workers = 1000;
  Watched cluster{2 * workers, from_ms(1)};
  for (int i = 0; i < workers; ++i)
    cluster.change({four_cores(std::string(1000, 'w') + std::to_string(i))});
  Follower one{0};
  auto read = one.shown(cluster.log);
  CHECK(read.size() >= at_once);
  CHECK(read.size() < at_once + longest);
  one.another_reads(cluster.log);
  CHECK(one.unsent() == 0);
  for (std::string more; !(more = one.shown_more(cluster.log)).empty();) {
    CHECK(more.size() < at_once + longest);
    read += more;
  }
  CHECK(contains(read, "id: " + std::to_string(1000 + workers) + "\n"));
  CHECK_FALSE(contains(read, "missed"));
}

TEST_CASE("a log that has not begun tells of no gap", "[web]") {
  EventLog log;
  Follower one{1005};
  CHECK(one.shown(log).empty());
  log.begin({}, from_ms(2));
  CHECK(one.shown(log) == missed(1005));
}

TEST_CASE("a stream says when all that was written is sent, until it is closed",
          "[web]") {
  HttpStream stream;
  int times = 0;
  auto write
      = [&] { stream.write(std::make_shared<const std::string>("four")); };
  stream.on_drained([&] {
    // Who is told may write.
    if (++times == 1)
      write();
  });
  write();
  stream.sent(3);
  CHECK(times == 0);
  stream.sent(1);
  CHECK(times == 1);
  CHECK(stream.unsent() == 4);
  stream.sent(4);
  CHECK(times == 2);
  write();
  stream.close();
  stream.sent(4);
  CHECK(times == 2);
}

TEST_CASE("the OpenAPI document describes each kind of event that is sent",
          "[web]") {
  Watched cluster{3, from_ms(1)};
  for (int i = 0; i < 5; ++i)
    cluster.change({four_cores("w" + std::to_string(i))});
  auto document = boost::json::parse(*openapi_document());
  std::istringstream lines{sent_after(cluster.log, 7)};
  std::vector<std::string> kinds;
  const std::string kind_mark{"event: "};
  const std::string data_mark{"data: "};
  for (std::string line; std::getline(lines, line);) {
    INFO(line);
    if (line.starts_with(kind_mark))
      kinds.push_back(line.substr(kind_mark.size()));
    if (!line.starts_with(data_mark))
      continue;
    REQUIRE_FALSE(kinds.empty());
    JsonSchema schema{document, "/paths/~1events/get/responses/200/content/"
                                "text~1event-stream/schema/$defs/"
                                    + kinds.back()};
    auto data = boost::json::parse(line.substr(data_mark.size()));
    CHECK(schema.problems(data) == std::vector<std::string>{});
  }
  CHECK(kinds
        == std::vector<std::string>{"missed", "happened", "happened",
                                    "happened"});
}
