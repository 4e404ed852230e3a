#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "scheduling/worker/worker_logic.hpp"
#include "simulation/network.hpp"
#include "simulation/peer_connection.hpp"
#include "simulation/program_logs.hpp"

namespace stoker::simulation {

class MasterProcess;
class Referee;

/// A program under its supervisor. It outlives the worker that started it for a
/// while.
struct Program {
  enum class Phase { starting, running };

  std::uint64_t number = 0;
  ProgramId id;
  WorkerId worker;
  Phase phase = Phase::starting;

  /// Its worker has told it to end.
  bool told_to_end = false;

  /// Its worker is gone; and how often that has happened.
  bool orphan = false;
  int deaths = 0;

  /// Its master has given the worker up since, and believes it to be gone.
  bool given_up = false;

  // As it was ordered.
  std::optional<int> index;
  int cores = 0;
  ResourceAddresses resources;

  /// Null if it is a driver.
  [[nodiscard]] const ExecutorId* executor() const {
    return std::get_if<ExecutorId>(&id);
  }

  /// Null if it is an executor.
  [[nodiscard]] const DriverId* driver() const {
    return std::get_if<DriverId>(&id);
  }
};

/// A machine with a worker on it: a WorkerLogic wired to the network, to its
/// clock and to programs that are played.
class WorkerProcess : public Peer {
public:
  WorkerProcess(EventQueue& queue, const std::string& name, std::uint64_t seed,
                WorkerConfig config, Network& network,
                std::vector<MasterProcess*> masters, Referee& referee);

  /// Told when an executor's program begins to run on the machine, and when it is gone:
  /// an executor has a connection of its own to its driver.
  using ExecutorConnection
      = std::function<void(const ExecutorId& id, bool begins)>;
  void on_executors(ExecutorConnection x) {
    executor_connection_ = std::move(x);
  }

  /// Starts the worker's process. It continues under the id of the one before,
  /// if that one died without having been asked to leave.
  void start();

  /// kill -9 of the worker: its programs go on until their grace has passed, or
  /// until a worker adopts them.
  void crash();

  /// Power off: everything is gone at once.
  void crash_machine();

  /// An operator stops it in good order.
  void stop();

  /// Somebody kills a program, or its supervisor.
  void kill_any_program(bool with_supervisor);

  /// An executor ends because its driver has told it to, if it runs here.
  void stop_executor(const ExecutorId& id);

  /// For so long it cannot start anything.
  void fall_sick(Duration lasts) {
    sick_until_ = queue().now() + lasts;
  }

  /// All that it runs is killed, with what supervises it.
  void kill_all_programs();

  /// Answers a request that the master has passed on.
  void read_output(const RequestOutput& x, ProgramLogs::Answer answer);

  /// Removes output of an executor that has ended from the disk.
  void damage_output(std::int64_t which) {
    logs_.damage_any(which / 7, which);
  }

  void hear(const LinkPtr& link, LeaderEpoch from, const Statement& x) override;
  void link_broke(const LinkPtr& link) override;

  /// Its process is about to end, in good order.
  [[nodiscard]] bool ends() const noexcept {
    return is_ending_;
  }

  [[nodiscard]] const WorkerConfig& config() const noexcept {
    return config_;
  }
  [[nodiscard]] const std::map<std::uint64_t, Program>& programs() const {
    return programs_;
  }
  [[nodiscard]] std::map<std::uint64_t, Program>& programs() {
    return programs_;
  }
  [[nodiscard]] const ProgramLogs& logs() const noexcept {
    return logs_;
  }
  [[nodiscard]] std::optional<Instant>
  connected_since(const MasterProcess& x) const {
    return connection_.leads_since(x);
  }
  [[nodiscard]] const LinkPtr& link() const noexcept {
    return connection_.link();
  }

private:
  void obey(const MessageOrigin& from, const MessageToWorker& x);
  void take_answer(const Answered& x);
  void apply(const WorkerEvent& x);
  void carry_out(const WorkerEffects& effects);
  void tell_readers(const ProcessStarted& x);
  void tell_readers(const ProcessEnded& x);
  void tell_readers(const ProcessFailed& x);
  void tell_readers(const ProcessLost& x);
  template <class Other>
  void tell_readers(const Other&) {
  }
  [[nodiscard]] bool is_read(const ProgramId& id) const;
  void apply(const ConnectToMaster& x);
  void apply(const SendWorkerMessage& x);
  void apply(const AskMaster& x);
  void apply(const StartProcess& x);
  void apply(const EndProcess& x);
  void apply(const AdoptProcess& x);
  void apply(const RememberProgram& x);
  void apply(const ForgetProgram& x);
  void apply(const RememberLeaving& x);
  void apply(const FindAbandoned& x);
  void apply(const RemoveDirectory& x);
  // What tasks write is in another simulation: simulation/job_world.hpp.
  void apply(const ServeOutputs&) {
  }
  void apply(const OutputWriterEnded&) {
  }
  void apply(const StopServingOutputs&) {
  }
  void apply(const WorkerWakeAt& x);
  void apply(const StopWorker& x);

  [[nodiscard]] ProgramsFound left_by(bool this_worker) const;
  void begin(std::uint64_t number, bool missing, bool flaky, Duration lasts);
  void end_by_itself(std::uint64_t number, bool flaky);
  void end(std::uint64_t number, std::optional<int> exit_code,
           std::optional<int> signal);
  void end_soon(std::uint64_t number, Duration patience);
  void gone(std::uint64_t number, const WorkerEvent& report);
  void connect(const Program& program, bool begins);

  /// What the worker's monitor says in this life, if the worker still lives.
  void report(const Program& program, const WorkerEvent& x);

  Dice dice_;
  WorkerConfig config_;
  Network& network_;
  Referee& referee_;

  ExecutorConnection executor_connection_;
  std::optional<WorkerLogic> logic_;
  PeerConnection connection_;

  /// The highest epoch heard of, and whether the worker has to ignore what it
  /// hears now: its sender was left, or is deposed.
  LeaderEpoch heard_;
  bool has_to_ignore_ = false;
  std::map<std::uint64_t, ExecutorStateChanged> asked_;
  std::uint64_t next_request_ = 1;

  /// On this machine, by number.
  std::map<std::uint64_t, Program> programs_;
  ProgramLogs logs_;
  std::uint64_t next_program_ = 1;
  Instant sick_until_;

  // On its disk: its programs, how those ended that no worker was there to hear
  // of, and whether the last worker was asked to leave.
  std::map<ProgramId, ProgramRecord> records_;
  std::map<ProgramId, WorkerEvent> ends_;
  bool leaving_ = true;
  bool is_ending_ = false;

  /// What executors that are about to be started were ordered as.
  std::map<ProgramId, LaunchExecutor> executor_orders_;
};

} // namespace stoker::simulation
