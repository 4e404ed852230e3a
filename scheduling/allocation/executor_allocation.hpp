#pragma once

#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "scheduling/allocation/allocation_manager.hpp"
#include "scheduling/allocation/executor_requests.hpp"
#include "scheduling/allocation/load_of_jobs.hpp"
#include "scheduling/common/wake_up.hpp"

namespace stoker {

// -- events -------------------------------------------------------------------

/// What the application does.
struct LoadChanged {
  AllocationEvents events;
};

/// A master leads, and is connected.
struct LeaderFollowed {
  LeaderEpoch epoch;

  /// The application has registered with it: before it answers anything, it names all
  /// executors.
  bool names_executors = false;
};

struct LeaderLost {};

/// The master has named an executor.
struct ExecutorGranted {
  int exec_id = 0;
  std::string host;
};

/// As the master says.
struct GrantedExecutorEnded {
  int exec_id = 0;
  bool is_failure = false;
};

/// Of an AskForTotal. That nobody could be asked is an answer, too: no.
struct TotalAnswered {
  ExecutorRequests::Request request;
  bool accepted = false;
};

/// Of an AskToKill.
struct KillsAnswered {
  ExecutorRequests::Kills kills;

  /// Unset: nobody knows what became of it.
  std::optional<bool> accepted;
};

/// Of an AskToLeave: those that take no task any more, and have none.
struct LeaveAnswered {
  std::uint64_t number = 0;
  std::vector<int> exec_ids;
};

struct AllocationWakeUp {};

using ExecutorAllocationEvent
    = std::variant<LoadChanged, LeaderFollowed, LeaderLost, ExecutorGranted,
                   GrantedExecutorEnded, TotalAnswered, KillsAnswered,
                   LeaveAnswered, AllocationWakeUp>;

// -- effects ------------------------------------------------------------------

/// Send RequestExecutors to the master, and feed TotalAnswered back.
struct AskForTotal {
  ExecutorRequests::Request request;
};

/// Send KillExecutors to the master, and feed KillsAnswered back.
struct AskToKill {
  ExecutorRequests::Kills kills;
};

/// Let those of them that have no task take none any more, and feed LeaveAnswered back.
struct AskIdleToLeave {
  std::uint64_t number = 0;
  std::vector<int> exec_ids;
};

/// Feed AllocationWakeUp back at `when`.
struct AllocationWakesAt {
  Instant when;
};

using ExecutorAllocationEffect
    = std::variant<AskForTotal, AskToKill, AskIdleToLeave, AllocationWakesAt>;
using ExecutorAllocationEffects = std::vector<ExecutorAllocationEffect>;

// -- the state machine --------------------------------------------------------

/// Lets an application's executors follow its load: an AllocationManager decides, and an
/// ExecutorRequests sees to it that the master, whoever that is, knows and does it. A
/// pure state machine.
///
/// What the master is told is always the manager's target: also a new one is, at once.
class ExecutorAllocation {
public:
  /// Whether executors end only when they are told to, or each with its one task: then
  /// none is given back.
  enum class Executors { serve, run_one_task };

  /// @pre validate(settings); for `run_one_task` a slot for each executor.
  explicit ExecutorAllocation(const AllocationSettings& settings,
                              Executors executors = Executors::serve);

  /// To be called first, once.
  ExecutorAllocationEffects start(Instant now);

  ExecutorAllocationEffects step(Instant now,
                                 const ExecutorAllocationEvent& what);

  [[nodiscard]] const AllocationManager& manager() const noexcept {
    return manager_;
  }
  [[nodiscard]] const ExecutorRequests& requests() const noexcept {
    return requests_;
  }

private:
  void on(const LoadChanged& x);
  void on(const LeaderFollowed& x);
  void on(const LeaderLost& x);
  void on(const ExecutorGranted& x);
  void on(const GrantedExecutorEnded& x);
  void on(const TotalAnswered& x);
  void on(const KillsAnswered& x);
  void on(const LeaveAnswered& x);
  void on(const AllocationWakeUp& x);

  void decide(const AllocationEvent& x);
  void carry_out(const AllocationActions& actions);
  void carry_out(const WantTotal& x);
  void carry_out(const EndIdle& x);
  void answer_want(bool acknowledged);
  void send();
  void send_total();
  ExecutorAllocationEffects finish_step();

  AllocationManager manager_;
  ExecutorRequests requests_;
  Instant now_;
  WakeUp wake_up_;

  /// The manager's, that waits for an answer, and the request that it waits for.
  std::optional<std::uint64_t> open_want_;
  std::optional<std::uint64_t> request_of_want_;

  /// A request that was not answered yet.
  std::optional<std::uint64_t> in_flight_;

  /// The master refused the last one: it is asked again when some time has passed.
  bool refused_ = false;

  /// The leader names the executors that it knows.
  std::optional<LeaderEpoch> naming_;
  ExecutorAllocationEffects out_;
};

} // namespace stoker
