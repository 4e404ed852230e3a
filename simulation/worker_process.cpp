#include "simulation/worker_process.hpp"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "simulation/master_process.hpp"
#include "simulation/referee.hpp"
#include "simulation/violation.hpp"

namespace stoker::simulation {

namespace {

constexpr Duration master_patience = std::chrono::seconds{10};
constexpr Duration end_of_orphans = std::chrono::seconds{1};

/// How often a program that waits for its readers looks whether it has written all.
constexpr Duration write_interval = std::chrono::milliseconds{250};

bool has_word(const Command& command, const char* word) {
  return std::ranges::find(command.arguments, word) != command.arguments.end();
}

/// Up to three times what a log holds.
OutputPlan invent_output(Dice& dice) {
  OutputPlan result;
  if (dice.chance(70))
    result.total[0] = dice.between(0, 200'000);
  if (dice.chance(40))
    result.total[1] = dice.between(0, 100'000);
  result.rate = dice.between(1, 64);
  return result;
}

} // namespace

WorkerProcess::WorkerProcess(EventQueue& queue, const std::string& name,
                             std::uint64_t seed, WorkerConfig config,
                             Network& network,
                             std::vector<MasterProcess*> masters,
                             Referee& referee)
    : Peer(queue, name), dice_(seed, name), config_(std::move(config)),
      network_(network), referee_(referee),
      connection_(*this, network, std::move(masters),
                  [this](const ConnectionEvent& x) {
                    std::visit([this](const auto& y) { apply(y); }, x);
                  }),
      logs_(*this, queue, referee.stats()) {
  config_.host = name;
}

// -- life ---------------------------------------------------------------------

void WorkerProcess::start() {
  if (up())
    return;
  begin_life();
  is_ending_ = false;
  auto goes_on = !std::exchange(leaving_, false);
  if (!goes_on) {
    auto id = name() + '-' + std::to_string(life());
    config_.id = WorkerId{id};
    config_.endpoint = EndpointId{"endpoint-" + id};
  }
  config_.life = life();
  config_.registration.masters = connection_.masters();
  config_.registration.seed
      = static_cast<std::uint64_t>(dice_.between(1, 1000));
  heard_ = {};
  logic_.emplace(config_);
  logs_.begin_life(config_);
  referee_.stats().count(goes_on ? "workers that went on" : "workers started");
  apply(left_by(true));
  apply(WorkerStarted{});
}

void WorkerProcess::crash() {
  if (!up())
    return;
  end_life();
  network_.drop(*this);
  connection_.drop();
  asked_.clear();
  executor_orders_.clear();
  for (auto& [number, program] : programs_) {
    if (program.orphan)
      continue;
    program.orphan = true;
    auto death = ++program.deaths;
    queue().after(config_.orphan_grace, [=, this, number = number] {
      auto i = programs_.find(number);
      if (i != programs_.end() && i->second.orphan && i->second.deaths == death)
        end_soon(number, end_of_orphans);
    });
  }
}

void WorkerProcess::crash_machine() {
  crash();
  for (const auto& [number, program] : programs_) {
    referee_.program_ended(*this, program, std::nullopt);
    connect(program, false);
    if (program.executor() != nullptr)
      logs_.end(*program.executor(), true);
  }
  programs_.clear();
}

void WorkerProcess::stop() {
  if (up() && !paused())
    apply(WorkerStopRequested{});
}

// -- the master ---------------------------------------------------------------

void WorkerProcess::hear(const LinkPtr& link, LeaderEpoch from,
                         const Statement& x) {
  auto origin = connection_.origin(link, from);
  if (const auto* answered = std::get_if<Answered>(&x)) {
    if (link == connection_.link())
      take_answer(*answered);
    return;
  }
  // Judged here a second time, on purpose: the worker has to come to the same.
  has_to_ignore_
      = link != connection_.link() || (from != LeaderEpoch{} && from < heard_);
  if (!has_to_ignore_)
    heard_ = std::max(heard_, from);
  if (const auto* message = std::get_if<MasterMessage>(&x)) {
    std::visit(
        [&]<class T>(const T& y) {
          if constexpr (requires { MessageToWorker{y}; })
            obey(origin, y);
          else
            fail(name() + " hears what is meant for applications");
          if constexpr (std::is_same_v<T, ApplicationFinished>)
            logs_.left(y.id);
        },
        *message);
  } else if (const auto* executor = std::get_if<LaunchExecutor>(&x)) {
    ExecutorId id{executor->app_id, executor->exec_id};
    executor_orders_[id] = *executor;
    obey(origin, *executor);
    executor_orders_.erase(id);
  } else if (const auto* driver = std::get_if<LaunchDriver>(&x)) {
    obey(origin, *driver);
  }
  has_to_ignore_ = false;
}

void WorkerProcess::obey(const MessageOrigin& from, const MessageToWorker& x) {
  referee_.stats().count_event("worker", x);
  carry_out(logic_->hear(now(), from, x));
}

void WorkerProcess::take_answer(const Answered& x) {
  auto node = asked_.extract(x.request);
  if (node.empty() || !x.answer)
    return;
  const auto& y = node.mapped();
  referee_.acknowledged(y);
  apply(StateAcknowledged{{y.app_id, y.exec_id}, y.state});
}

void WorkerProcess::link_broke(const LinkPtr& link) {
  connection_.link_broke(link);
}

void WorkerProcess::apply(const WorkerEvent& x) {
  referee_.stats().count_event("worker", x);
  carry_out(logic_->step(now(), x));
  std::visit([this](const auto& y) { tell_readers(y); }, x);
}

void WorkerProcess::carry_out(const WorkerEffects& effects) {
  for (const auto& effect : effects)
    std::visit([this](const auto& y) { apply(y); }, effect);
}

void WorkerProcess::apply(const ConnectToMaster& x) {
  connection_.open(x);
}

void WorkerProcess::apply(const SendWorkerMessage& x) {
  if (has_to_ignore_)
    fail(name() + " answers a replaced leader");
  if (const auto& link = connection_.link())
    std::visit([&](const auto& y) { network_.say(link, y); }, x.message);
}

void WorkerProcess::apply(const AskMaster& x) {
  if (!connection_.link())
    return;
  auto request = next_request_++;
  asked_[request] = x.message;
  after(master_patience, [this, request] { asked_.erase(request); });
  network_.say(connection_.link(), x.message, request);
}

// -- readers ------------------------------------------------------------------

// As actors/worker.cpp does it.

void WorkerProcess::read_output(const RequestOutput& x,
                                ProgramLogs::Answer answer) {
  for (const auto& id : x.taken) {
    apply(OutputTaken{id});
    logs_.taken(id);
  }
  ProgramLogs::Question question{x, {}, std::move(answer)};
  for (const auto& position : x.positions)
    question.sources.push_back(logic_->find_output(position));
  logs_.ask(std::move(question));
}

bool WorkerProcess::is_read(const ProgramId& id) const {
  if (!std::holds_alternative<ExecutorId>(id))
    return false;
  auto source = logic_->find_output(about<OutputPosition>(id));
  return source && source->waits;
}

void WorkerProcess::tell_readers(const ProcessStarted& x) {
  logs_.started(x.id, is_read(x.id));
}

void WorkerProcess::tell_readers(const ProcessEnded& x) {
  logs_.ended(x.id, x.use && is_read(x.id) ? x.use->output_bytes : 0);
}

void WorkerProcess::tell_readers(const ProcessFailed& x) {
  logs_.ended(x.id, 0);
}

void WorkerProcess::tell_readers(const ProcessLost& x) {
  logs_.ended(x.id, 0);
}

// -- the disk -----------------------------------------------------------------

void WorkerProcess::apply(const RemoveDirectory&) {
}

void WorkerProcess::apply(const RememberProgram& x) {
  records_[id_of(x.record).value()] = x.record;
}

void WorkerProcess::apply(const ForgetProgram& x) {
  records_.erase(x.id);
  ends_.erase(x.id);
}

void WorkerProcess::apply(const RememberLeaving&) {
  leaving_ = true;
}

void WorkerProcess::apply(const FindAbandoned&) {
  after(Duration{1}, [this] { apply(left_by(false)); });
}

ProgramsFound WorkerProcess::left_by(bool this_worker) const {
  ProgramsFound result;
  for (const auto& [id, record] : records_)
    if ((record.worker_id == config_.id) == this_worker)
      result.programs.push_back(record);
  return result;
}

void WorkerProcess::apply(const AdoptProcess& x) {
  auto i = std::find_if(programs_.begin(), programs_.end(),
                        [&](const auto& y) { return y.second.id == x.id; });
  if (i == programs_.end()) {
    auto end = ends_.find(x.id);
    auto what = end == ends_.end()
                    ? WorkerEvent{ProcessLost{x.id, "it is gone"}}
                    : end->second;
    return after(Duration{1}, [this, what] { apply(what); });
  }
  referee_.stats().count("programs adopted");
  auto& program = i->second;
  program.orphan = false;
  if (program.phase == Program::Phase::running)
    report(program, ProcessStarted{x.id});
}

void WorkerProcess::apply(const WorkerWakeAt& x) {
  at(x.when, [this] { apply(WorkerTick{}); });
}

void WorkerProcess::apply(const StopWorker& x) {
  if (x.reason == EndReason::refused)
    fail(name() + " ends: " + x.error);
  is_ending_ = true;
  // Its identity is given up.
  leaving_ = true;
  // In the middle of a step: the process ends after it.
  auto life_then = life();
  queue().after(Duration{0}, [this, life_then] {
    if (life() != life_then)
      return;
    crash();
    // A service manager starts it again.
    queue().after(
        dice_.lasting(std::chrono::seconds{2}, std::chrono::seconds{8}),
        [this] { start(); });
  });
}

// -- programs -----------------------------------------------------------------

void WorkerProcess::apply(const StartProcess& x) {
  records_[x.id] = x.record;
  ends_.erase(x.id);
  if (has_to_ignore_)
    fail(name() + " starts something for a replaced leader");
  Program program;
  program.number = next_program_++;
  program.id = x.id;
  program.worker = config_.id;
  if (auto i = executor_orders_.find(x.id); i != executor_orders_.end()) {
    const auto& order = i->second;
    program.index = order.index;
    program.cores = order.cores;
    program.resources = order.resources;
  } else {
    const auto& driver = x.record.driver.value();
    program.cores = driver.description.cores;
    program.resources = driver.resources;
  }
  referee_.program_starts(*this, program);
  if (const auto* executor = program.executor(); executor && x.keep_output)
    logs_.add(*executor, invent_output(dice_), config_);
  auto number = program.number;
  programs_.emplace(number, std::move(program));
  auto missing = has_word(x.command, "missing");
  auto flaky = has_word(x.command, "flaky");
  using std::chrono::seconds;
  auto lasts = has_word(x.command, "long") ? seconds{3600 * 24}
               : has_word(x.command, "short")
                   ? dice_.lasting(Duration{10}, seconds{20})
               : has_word(x.command, "slow")
                   ? dice_.lasting(seconds{5}, seconds{90})
                   : dice_.lasting(seconds{5}, seconds{300});
  queue().after(dice_.lasting(Duration{2}, Duration{300}),
                [=, this] { begin(number, missing, flaky, lasts); });
}

void WorkerProcess::begin(std::uint64_t number, bool missing, bool flaky,
                          Duration lasts) {
  auto i = programs_.find(number);
  if (i == programs_.end())
    return;
  auto& program = i->second;
  if (missing)
    return gone(number, ProcessFailed{program.id, "no such command", 127});
  if (queue().now() < sick_until_)
    return gone(number, ProcessFailed{program.id, "no space left", {}});
  if (flaky && dice_.chance(3))
    return gone(number, ProcessFailed{program.id, "no memory", {}});
  program.phase = Program::Phase::running;
  if (program.executor() != nullptr)
    logs_.begin(*program.executor());
  connect(program, true);
  if (!program.orphan)
    report(program, ProcessStarted{program.id});
  queue().after(lasts, [=, this] { end_by_itself(number, flaky); });
}

void WorkerProcess::end_by_itself(std::uint64_t number, bool flaky) {
  auto i = programs_.find(number);
  if (i == programs_.end())
    return;
  if (const auto* executor = i->second.executor();
      executor && logs_.has_more(*executor))
    return queue().after(write_interval,
                         [=, this] { end_by_itself(number, flaky); });
  if (!flaky || dice_.chance(60))
    return end(number, 0, std::nullopt);
  if (dice_.chance(50))
    return end(number, static_cast<int>(dice_.between(1, 3)), std::nullopt);
  if (dice_.chance(50))
    return end(number, std::nullopt, 9);
  gone(number, ProcessLost{i->second.id, "its supervisor is gone"});
}

void WorkerProcess::kill_any_program(bool with_supervisor) {
  if (programs_.empty())
    return;
  auto n = dice_.between(0, static_cast<std::int64_t>(programs_.size()) - 1);
  auto i = std::next(programs_.begin(), n);
  if (with_supervisor)
    gone(i->first, ProcessLost{i->second.id, "its supervisor was killed"});
  else if (i->second.phase == Program::Phase::running)
    end(i->first, std::nullopt, 9);
}

void WorkerProcess::stop_executor(const ExecutorId& id) {
  auto i = std::find_if(programs_.begin(), programs_.end(), [&](const auto& x) {
    return x.second.id == ProgramId{id};
  });
  if (i != programs_.end() && i->second.phase == Program::Phase::running)
    end(i->first, 0, std::nullopt);
}

void WorkerProcess::kill_all_programs() {
  while (!programs_.empty())
    gone(programs_.begin()->first, ProcessLost{programs_.begin()->second.id,
                                               "its supervisor was killed"});
}

void WorkerProcess::apply(const EndProcess& x) {
  if (has_to_ignore_)
    fail(name() + " ends something for a replaced leader");
  for (auto& [number, program] : programs_)
    if (program.id == x.id && !program.orphan
        && !std::exchange(program.told_to_end, true)) {
      if (program.executor() != nullptr)
        logs_.told_to_end(*program.executor());
      end_soon(number, config_.kill_grace);
    }
}

void WorkerProcess::end_soon(std::uint64_t number, Duration patience) {
  queue().after(dice_.lasting(Duration{1}, patience), [this, number] {
    if (programs_.contains(number))
      end(number, std::nullopt, dice_.chance(80) ? 15 : 9);
  });
}

void WorkerProcess::end(std::uint64_t number, std::optional<int> exit_code,
                        std::optional<int> signal) {
  ProcessEnded report{programs_.at(number).id, exit_code, signal};
  if (const auto* executor = programs_.at(number).executor()) {
    logs_.end(*executor, false);
    report.use = logs_.use_of(*executor);
  }
  gone(number, report);
}

void WorkerProcess::gone(std::uint64_t number, const WorkerEvent& x) {
  auto program = std::move(programs_.extract(number).mapped());
  const auto* ended = std::get_if<ProcessEnded>(&x);
  if (program.executor() != nullptr && ended == nullptr)
    logs_.end(*program.executor(), std::holds_alternative<ProcessLost>(x));
  referee_.program_ended(*this, program,
                         ended != nullptr ? ended->exit_code : std::nullopt);
  connect(program, false);
  report(program, x);
}

void WorkerProcess::connect(const Program& program, bool begins) {
  if (executor_connection_ && program.executor() != nullptr)
    executor_connection_(*program.executor(), begins);
}

void WorkerProcess::report(const Program& program, const WorkerEvent& x) {
  // Its supervisor writes its end down before it tells the worker.
  if (!std::holds_alternative<ProcessStarted>(x))
    ends_.insert_or_assign(program.id, x);
  if (!program.orphan)
    after(Duration{1}, [this, x] { apply(x); });
}

} // namespace stoker::simulation
