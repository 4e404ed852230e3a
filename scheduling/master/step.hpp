#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "messages/following.hpp"
#include "scheduling/master/change_set.hpp"
#include "scheduling/master/cluster_state.hpp"
#include "scheduling/master/step_result.hpp"

namespace stoker {

/// Something that has ended in a step.
struct EndedProgram {
  AwaitedId id;
  ProgramEnd end;

  /// Set if it has not started because what it waited for did not succeed: the first
  /// program in that row, and how that has ended.
  std::optional<std::string> first_cause;
};

/// One step of a Cluster that is under way: the state that it changes, and what
/// follows from it so far. The functions that handle events and run scheduling
/// passes take it as their first argument.
class Step {
public:
  /// @param of Must outlive the step.
  explicit Step(ClusterState& of) : state(of), changes(of.config.durable) {
  }

  ClusterState& state;
  ChangeSet changes;

  [[nodiscard]] Instant now() const noexcept {
    return state.now;
  }
  [[nodiscard]] const ClusterConfig& config() const noexcept {
    return state.config;
  }

  // -- output -----------------------------------------------------------------

  void send(const EndpointId& to, MasterMessage message) {
    messages_.push_back(Send{to, std::move(message)});
  }
  void send(OutgoingMessage message) {
    messages_.push_back(std::move(message));
  }

  /// Answers the request that caused the step.
  void reply(Answer answer) {
    messages_.push_back(Reply{std::move(answer)});
  }

  /// The step has to end with a scheduling pass: something became free, or more
  /// is wanted.
  void schedule_pass() noexcept {
    pass_needed_ = true;
  }
  [[nodiscard]] bool pass_needed() const noexcept {
    return pass_needed_;
  }
  /// Returns whether a pass is needed, and takes it as done.
  [[nodiscard]] bool take_pass() noexcept {
    return std::exchange(pass_needed_, false);
  }

  /// Those who wait for it are dealt with when the event is (`settle_dependents`).
  void note_end(AwaitedId id, ProgramEnd end) {
    if (state.dependents.of(id).empty())
      return;
    std::optional<std::string> cause;
    if (auto i = first_causes_.find(end.id); i != first_causes_.end())
      cause = i->second;
    ended_.push_back({std::move(id), std::move(end), std::move(cause)});
  }
  /// Before the end is noted of a program that will not start.
  void note_first_cause(const std::string& id, std::string cause) {
    first_causes_.insert_or_assign(id, std::move(cause));
  }
  /// In the order in which they were noted, each once.
  [[nodiscard]] std::optional<EndedProgram> take_end() {
    if (ended_.empty())
      return std::nullopt;
    auto result = std::move(ended_.front());
    ended_.pop_front();
    return result;
  }

  /// Has the thing looked at when `when` has come.
  void check_at(Instant when, Due kind, std::uint32_t number) {
    state.deadlines.add(when, kind, number);
  }

  /// Ends the step.
  [[nodiscard]] StepResult finish() &&;

private:
  OutgoingMessages messages_;
  std::deque<EndedProgram> ended_;
  std::map<std::string, std::string> first_causes_;
  bool pass_needed_ = false;
};

inline std::uint32_t number_of(WorkerKey key) {
  return static_cast<std::uint32_t>(key);
}
inline std::uint32_t number_of(AppKey key) {
  return static_cast<std::uint32_t>(key);
}
inline std::uint32_t number_of(DriverKey key) {
  return static_cast<std::uint32_t>(key);
}

} // namespace stoker
