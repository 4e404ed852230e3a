#pragma once

#include <string>
#include <utility>
#include <vector>

#include "scheduling/leadership/leadership_timing.hpp"
#include "scheduling/leadership/master_logic.hpp"

namespace stoker::test {

inline constexpr Instant now = from_ms(1'000'000);

inline const EndpointId w1{"w1"};

inline RegisterWorker worker(const std::string& name = "w1") {
  return {WorkerId{name}, EndpointId{name}, "h", 0, 4, 4096};
}

inline RequestSubmitDriver submission() {
  RequestSubmitDriver result;
  result.driver_description.command.arguments = {"drive"};
  return result;
}

using Words = std::vector<std::string>;

/// Hosts a master, and writes down what it decides as words.
struct Host {
  explicit Host(bool durable = true, StepObserver* observer = nullptr)
      : logic(
          [&] {
            ClusterConfig config;
            config.master_url = "stoker://m:1";
            config.durable = durable;
            return config;
          }(),
          observer) {
  }

  void take(MasterActions actions) {
    for (auto& action : actions)
      std::visit([this](auto& x) { take(x); }, action);
  }

  void take(const ContendForLeadership& x) {
    term = x.term;
    words.push_back("contend after " + std::to_string(x.after.count()));
  }
  void take(const ResignLeadership& x) {
    words.push_back("resign: " + x.why);
  }
  void take(const BeginLeadership&) {
    words.push_back("begin");
  }
  void take(const CommitBatch& x) {
    batches.push_back(x.changes);
    words.push_back("commit");
  }
  void take(const CheckLeadership&) {
    words.emplace_back("check");
  }
  void take(const PublishBatch& x) {
    words.push_back("publish " + std::to_string(x.number));
  }
  void take(const LeavePeer& x) {
    words.push_back("leave " + std::to_string(x.peer));
  }
  void take(const WakeMaster&) {
  }
  void take(const ShowLife&) {
    words.emplace_back("show life");
  }
  void take(const StoreHangs& x) {
    words.push_back("no answer for " + std::to_string(x.beats));
  }
  void take(const LogRefusal& x) {
    words.push_back("refuse: " + x.why);
  }
  void take(const Outbox& x) {
    for (const auto& item : x.items)
      if (const auto* message = std::get_if<Outbox::Message>(&item)) {
        words.push_back("to " + std::to_string(message->to) + ": "
                        + name_of(message->message));
        note_standby(message->message);
      } else {
        words.push_back(text_of(std::get<Outbox::Response>(item)));
      }
  }

  void note_standby(const PeerMessage& x) {
    if (const auto* message = std::get_if<MasterMessage>(&x))
      if (const auto* standby = std::get_if<MasterInStandby>(message))
        said.push_back(*standby);
  }

  static std::string name_of(const PeerMessage& x) {
    if (const auto* message = std::get_if<MasterMessage>(&x))
      return std::visit(
          [](const auto& y) -> std::string {
            return message_name<std::remove_cvref_t<decltype(y)>>;
          },
          *message);
    return std::holds_alternative<LaunchDriver>(x) ? "LaunchDriver"
                                                   : "LaunchExecutor";
  }

  static std::string text_of(const Outbox::Response& x) {
    auto result = "answer " + std::to_string(x.request) + ": ";
    if (!x.answer)
      return result
             + (x.answer.code() == Errc::not_alive ? "not alive" : "failed");
    return result + (*x.answer ? "decided" : "held");
  }

  Words taken() {
    return std::exchange(words, {});
  }

  /// Leads from now on, with nothing stored.
  void lead(std::uint64_t epoch = 7) {
    take(logic.on(ElectionWon{term}));
    take(logic.on(now,
                  LeadershipBegun{term, Leadership{LeaderEpoch{epoch}, {}}}));
    while (logic.has_uncommitted())
      commit();
    words.clear();
  }

  void commit(Status status = {}) {
    take(logic.on(now, BatchCommitted{term, std::move(status)}));
  }

  /// What a beat makes the master do, at once.
  Words beat() {
    take(logic.beat(now));
    return taken();
  }

  MasterLogic logic;
  TermNumber term = 0;
  std::vector<SharedChanges> batches;

  /// To peers, of its being in STANDBY.
  std::vector<MasterInStandby> said;
  Words words;
};

/// Leads, and one worker is registered over connection 1.
struct Leader : Host {
  explicit Leader(bool durable = true, StepObserver* observer = nullptr)
      : Host(durable, observer) {
    take(logic.start());
    lead();
    take(logic.hear(now, 1, worker()));
    while (logic.has_uncommitted())
      commit();
    words.clear();
  }
};

} // namespace stoker::test
