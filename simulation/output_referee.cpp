#include "simulation/output_referee.hpp"

#include <algorithm>
#include <cctype>

#include "simulation/master_process.hpp"
#include "simulation/output_reading.hpp"
#include "simulation/program_output.hpp"
#include "simulation/violation.hpp"
#include "simulation/worker_process.hpp"

namespace stoker::simulation {

namespace {

/// A worker repeats a report after 5 s, and a disk may be slow.
constexpr Duration report_patience = std::chrono::seconds{15};

/// The number of bytes that a loss names, if it names one.
std::optional<std::int64_t> bytes_of(const std::string& loss) {
  if (loss.empty() || std::isdigit(static_cast<unsigned char>(loss[0])) == 0)
    return std::nullopt;
  return std::stoll(loss);
}

} // namespace

// -- readers ------------------------------------------------------------------

void OutputReferee::learned(const ExecutorId& id, ExecutorState state) {
  auto& known = delivered_[id];
  known.state = state;
  known.ran = known.ran || state == ExecutorState::RUNNING;
}

void OutputReferee::delivered(const ExecutorId& id, const OutputNews& x,
                              bool lost) {
  auto& known = delivered_[id];
  auto& bytes = known.bytes[x.standard_error ? 1 : 0];
  bytes += x.dropped;
  known.dropped += x.dropped;
  for (auto c : x.data)
    if (c != written_byte(id.exec_id, x.standard_error, bytes++))
      fail("byte " + std::to_string(bytes - 1) + " of the output of "
           + to_string(id) + " is delivered, and is another one");
  stats_.count("bytes of output delivered", x.data.size());
  if (!x.closed)
    return;
  known.closed = true;
  known.loss = x.loss;
  // How much it wrote is not known, and the run reports that it was lost.
  if (lost)
    return stats_.count("outputs of lost executors");
  stats_.count(x.loss ? "outputs with a loss" : "outputs delivered");
  judge(id, known);
}

/// Compares what was delivered, or was reported as lost, with what the executor wrote.
void OutputReferee::judge(const ExecutorId& id, const Delivered& x) const {
  const auto* output = find(id);
  auto delivered = x.bytes[0] + x.bytes[1];
  if (output == nullptr) {
    if (delivered > 0)
      fail(to_string(id) + " wrote nothing, and output of it is delivered");
    return;
  }
  auto why = to_string(id) + " wrote " + std::to_string(output->written())
             + " bytes; " + std::to_string(delivered - x.dropped)
             + " are delivered, " + std::to_string(x.dropped)
             + " are reported as dropped, and "
             + (x.loss ? "at the end: " + *x.loss : "no loss at the end");
  if (delivered > output->written())
    fail(why);
  // A supervisor that was killed leaves no count. The run reports its end.
  if (output->lost())
    return;
  // One that is ended before it is known to run, with its application or as another attempt
  // has succeeded, may write something until the order reaches it.
  auto ends_itself
      = x.state && is_finished(*x.state) && x.state != ExecutorState::KILLED;
  if (!ends_itself && !x.ran && delivered == 0)
    return stats_.count("outputs of executors that ended before they ran");
  if (x.loss && !bytes_of(*x.loss))
    return;
  if (!x.loss && output->runs())
    fail(why + ", and it runs");
  if (!output->is_damaged() && (x.dropped > 0 || x.loss))
    fail(why + ", and nothing of it is gone from the disk");
  if (delivered + (x.loss ? *bytes_of(*x.loss) : 0) != output->written())
    fail(why);
}

void OutputReferee::given_up(const ExecutorId& id,
                             const std::string& why) const {
  stats_.count("outputs that were given up");
  auto place = places_.find(id);
  const auto* output = find(id);
  if (place == places_.end() || output == nullptr || output->lost())
    return;
  for (const auto* worker : workers_)
    for (const auto* master : masters_)
      if (worker->config().id == place->second && !worker->ends()
          && master->leading() && directory_.leads(master->cluster().epoch())
          && in_touch(*master, *worker))
        fail("the rest of what " + to_string(id) + " wrote is given up (" + why
             + "), and " + worker->name() + " has it");
}

void OutputReferee::leaves(const AppId& id, const OutputReading& x) const {
  if (x.progress().exit_status() != 0 || x.incomplete())
    return;
  stats_.count("runs that end well");
  for (auto i = delivered_.lower_bound({id, 0});
       i != delivered_.end() && i->first.app_id == id; ++i) {
    const auto& [executor, known] = *i;
    if (known.state == ExecutorState::LOST)
      continue;
    if (!known.closed || known.loss || known.dropped > 0)
      fail("a run ends well, and something is missing of what "
           + to_string(executor) + " wrote");
    judge(executor, known);
  }
}

const ProgramOutput* OutputReferee::find(const ExecutorId& id) const {
  for (const auto* worker : workers_)
    if (const auto* output = worker->logs().find(id))
      return output;
  return nullptr;
}

// -- programs -----------------------------------------------------------------

void OutputReferee::program_starts(const Program& program,
                                   bool stored_before_done) {
  places_[*program.executor()] = program.worker;
  if (program.index && !program.given_up && !stored_before_done
      && done_.contains({program.executor()->app_id, *program.index}))
    fail("instance " + std::to_string(*program.index) + " of "
         + program.executor()->app_id.value
         + " has exited with 0, and is started again");
}

void OutputReferee::program_ended(const Program& program,
                                  std::optional<int> exit_code) {
  if (program.executor() == nullptr || program.given_up)
    return;
  auto is_done = exit_code == 0 && !program.told_to_end;
  ended_.push_back({*program.executor(), program.worker, queue_.now(),
                    is_done ? program.index : std::nullopt});
}

void OutputReferee::leader_begins() {
  last_takeover_ = queue_.now();
}

void OutputReferee::check_that_ends_are_known(const MasterProcess& leader) {
  const auto& applications = leader.cluster().state().applications;
  std::erase_if(ended_, [&](const Ended& x) {
    auto could = could_know(leader, x);
    if (could && x.done && !killed_.contains(x.id))
      done_.emplace(x.id.app_id, *x.done);
    auto key = applications.find(x.id.app_id);
    auto counts
        = key && applications.at(*key).executors.find(x.id.exec_id) != nullptr;
    if (could && counts)
      fail(to_string(x.id) + " has ended, and " + leader.name()
           + " still counts its cores");
    return could || (!counts && !x.done);
  });
}

bool OutputReferee::in_touch(const MasterProcess& leader,
                             const WorkerProcess& worker) const {
  auto since = queue_.now() - report_patience;
  auto connected = worker.connected_since(leader);
  return connected && *connected < since && last_takeover_ < since
         && worker.up() && !worker.disturbance().after(since)
         && !leader.paused() && !leader.disturbance().after(since)
         && !network_.disturbance().after(since) && !directory_.fault
         && directory_.hangs_until < since
         && leader.cluster().status() == RecoveryState::ALIVE;
}

/// Returns true if nothing was in the way of a report for long enough.
bool OutputReferee::could_know(const MasterProcess& leader,
                               const Ended& x) const {
  return x.when < queue_.now() - report_patience
         && std::any_of(workers_.begin(), workers_.end(), [&](const auto* y) {
              return y->config().id == x.worker && in_touch(leader, *y);
            });
}

} // namespace stoker::simulation
