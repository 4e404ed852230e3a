// The log of a master that led, stood down, and led again.

#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "messages/json.hpp"
#include "scheduling/leadership/action_queue.hpp"
#include "scheduling/leadership/master_logic.hpp"
#include "scheduling/master/snapshot.hpp"
#include "scheduling/planning/explain.hpp"
#include "storage/message_log.hpp"
#include "storage/replay.hpp"
#include "storage/stored_tables.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace stoker;
using stoker::test::TemporaryDirectory;

namespace {

/// A master with a store that answers at once, and with a log of all its steps.
class LoggedMaster : private StepObserver {
public:
  LoggedMaster() : logic_(config(), this), log_(path(), config()) {
    perform(logic_.start());
  }

  void lead() {
    perform(logic_.on(ElectionWon{term_}));
    REQUIRE(logic_.leads());
  }

  void lose_lead() {
    perform(logic_.on(at_ += Duration{1},
                      ElectionLost{term_, "the lock was taken away"}));
    REQUIRE_FALSE(logic_.leads());
  }

  void hear(const Event& what) {
    perform(logic_.hear(at_ += Duration{1}, 1, what));
  }

  void tick() {
    perform(logic_.tick(at_ += Duration{1}));
  }

  /// Of the last step.
  [[nodiscard]] std::uint64_t number() const noexcept {
    return steps_;
  }
  [[nodiscard]] const Cluster& cluster() const noexcept {
    return logic_.cluster();
  }

  [[nodiscard]] Replay replayed(ReplayOptions options = {}) {
    log_.flush();
    auto replay = replay_file(path(), options);
    REQUIRE(replay);
    return *std::move(replay);
  }

private:
  static ClusterConfig config() {
    ClusterConfig result;
    result.durable = true;
    return result;
  }

  [[nodiscard]] std::string path() const {
    return directory_.path("log");
  }

  void stepped(const Cluster& cluster, const EndpointId& from,
               const Event& event, const StepResult& result) override {
    ++steps_;
    REQUIRE(log_.append(cluster, from, event, result));
  }

  void perform(MasterActions actions) {
    actions_.run(std::move(actions), [this](const auto& x) { act(x); });
  }

  void act(const ContendForLeadership& x) {
    term_ = x.term;
  }
  void act(const BeginLeadership& x) {
    perform(logic_.on(at_ += Duration{1},
                      LeadershipBegun{x.term, Leadership{LeaderEpoch{++epoch_},
                                                         tables_.snapshot()}}));
  }
  void act(const CommitBatch& x) {
    tables_.apply(*x.changes);
    perform(logic_.on(at_, BatchCommitted{x.term, {}}));
  }
  template <class Other>
  void act(const Other&) {
  }

  TemporaryDirectory directory_;
  Instant at_{Duration{1'000'000}};
  std::uint64_t steps_ = 0;
  std::uint64_t epoch_ = 0;
  TermNumber term_ = 0;
  StoredTables tables_;
  ActionQueue actions_;
  MasterLogic logic_;
  MessageLogWriter log_;
};

RegisterWorker node() {
  return {WorkerId{"w1"}, EndpointId{"e1"}, "h1", 0, 4, 4096};
}

RegisterApplication sums() {
  RegisterApplication result;
  result.driver = EndpointId{"d1"};
  result.description.name = "sums";
  result.description.command.arguments = {"add"};
  return result;
}

/// It leads, stands down, is asked for something meanwhile, and leads again.
struct StoodDown : LoggedMaster {
  StoodDown() {
    lead();
    hear(node());
    hear(sums());
    led_until = number();
    app = snapshot(cluster().state()).active_apps.at(0).id;
    lose_lead();
    stood_down = number();
    hear(node());
    tick();
    stood_by_until = number();
    lead();
    hear(node());
  }

  std::uint64_t led_until = 0;
  std::uint64_t stood_down = 0;
  std::uint64_t stood_by_until = 0;
  AppId app;
};

} // namespace

TEST_CASE("the log of a master that stood down and led again has no difference",
          "[storage][replay]") {
  StoodDown master;
  auto replay = master.replayed();
  CHECK(replay.problem().empty());
  CHECK(replay.steps == master.number());
  CHECK(to_json(snapshot(replay.cluster.state()))
        == to_json(snapshot(master.cluster().state())));
  SECTION("however often that happens") {
    master.lose_lead();
    master.lose_lead();
    master.lead();
    master.lead();
    master.lose_lead();
    replay = master.replayed();
    CHECK(replay.problem().empty());
    CHECK(replay.steps == master.number());
    CHECK(replay.cluster.status() == RecoveryState::STANDBY);
  }
}

TEST_CASE(
    "a log answers for the time before, while and after a master stood by",
    "[storage][replay]") {
  StoodDown master;
  auto known = [&](std::uint64_t until) {
    auto then = master.replayed({until, {}}).cluster;
    return explain(then, then.now(), master.app).found;
  };
  auto status = [&](std::uint64_t until) {
    return master.replayed({until, {}}).cluster.status();
  };
  CHECK(status(master.led_until) == RecoveryState::ALIVE);
  CHECK(known(master.led_until));
  CHECK(status(master.stood_down) == RecoveryState::STANDBY);
  CHECK_FALSE(known(master.stood_down));
  CHECK(status(master.stood_by_until) == RecoveryState::STANDBY);
  CHECK_FALSE(known(master.stood_by_until));
  CHECK(status(master.number()) == RecoveryState::RECOVERING);
  CHECK(known(master.number()));
}

TEST_CASE("a log says that a master stood down, when and why",
          "[storage][replay]") {
  StoodDown master;
  std::vector<LoggedStep> ends;
  (void)master.replayed(
      {{}, [&](const LoggedStep& step) {
         if (std::holds_alternative<LeadershipEnded>(step.event))
           ends.push_back(step);
         return true;
       }});
  REQUIRE(ends.size() == 1);
  CHECK(ends[0].number == master.stood_down);
  CHECK(ends[0].number == master.led_until + 1);
  CHECK(ends[0].effects.empty());
  CHECK(std::get<LeadershipEnded>(ends[0].event).why
        == "the lock was taken away");
}
