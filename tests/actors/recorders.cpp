#include "tests/actors/recorders.hpp"

#include <utility>

#include "actors/internal.hpp"
#include "messages/all.hpp"
#include "messages/caf_error.hpp"

namespace stoker::test {

OutputResponse output_response() {
  OutputPart part;
  part.data = "output";
  return {{part}};
}

InputResponse input_response() {
  return {7, false, {}};
}

WorkerActor::behavior_type worker_recorder(WorkerActor::pointer self,
                                           WorkerRecordPtr record) {
  auto note = [record](LeaderEpoch epoch, const auto& x) {
    record->epoch = epoch;
    record->lines.push_back(message_name<std::decay_t<decltype(x)>>);
  };
  return {
      [=](LeaderEpoch epoch, const RegisteredWorker& x) { note(epoch, x); },
      [=](LeaderEpoch epoch, const RegisterWorkerFailed& x) { note(epoch, x); },
      [=](LeaderEpoch epoch, const MasterInStandby& x) { note(epoch, x); },
      [=](LeaderEpoch epoch, const ReconnectWorker& x) { note(epoch, x); },
      [=](LeaderEpoch epoch, const DecommissionWorker& x) { note(epoch, x); },
      [=](LeaderEpoch epoch, const MasterChanged& x) { note(epoch, x); },
      [=](LeaderEpoch epoch, const LaunchExecutor& x) {
        note(epoch, x);
        record->launches.push_back(x);
      },
      [=](LeaderEpoch epoch, const KillExecutor& x) { note(epoch, x); },
      [=](LeaderEpoch epoch, const ApplicationFinished& x) { note(epoch, x); },
      [=](LeaderEpoch epoch, const LaunchDriver& x) { note(epoch, x); },
      [=](LeaderEpoch epoch, const KillDriver& x) { note(epoch, x); },
      [=](const RequestOutput& x) -> caf::result<OutputResponse> {
        record->output_requests.push_back(x);
        if (record->error)
          return record->error;
        if (!record->outputs.empty()) {
          auto next = std::move(record->outputs.front());
          record->outputs.pop_front();
          return next;
        }
        if (record->silent)
          return record->unanswered.emplace_back(
              self->make_response_promise<OutputResponse>());
        return output_response();
      },
      [=](const WriteInput& x) -> caf::result<InputResponse> {
        record->inputs.push_back(x);
        if (record->error)
          return record->error;
        if (record->silent)
          return record->unanswered_inputs.emplace_back(
              self->make_response_promise<InputResponse>());
        return input_response();
      },
      [=](const WorkerInternal&) {
        for (auto& x : std::exchange(record->unanswered, {}))
          x.deliver(to_caf_error({Errc::no_answer, "it has left"}));
      },
      [=](const FetchFilePart&) { return FilePart{}; },
      [=](const FilesPlaced&) {},
  };
}

AppClientActor::behavior_type
app_recorder(std::shared_ptr<std::vector<std::string>> lines) {
  auto note = [lines](const auto& x) {
    lines->push_back(message_name<std::decay_t<decltype(x)>>);
  };
  return {
      [](LeaderEpoch, const MasterInStandby&) {},
      [=](LeaderEpoch, const RegisteredApplication& x) { note(x); },
      [=](LeaderEpoch, const ReconnectApplication& x) { note(x); },
      [=](LeaderEpoch, const ApplicationRemoved& x) { note(x); },
      [=](LeaderEpoch, const WorkerRemoved& x) { note(x); },
      [=](LeaderEpoch, const ExecutorAdded& x) { note(x); },
      [=](LeaderEpoch, const ExecutorUpdated& x) {
        lines->push_back("ExecutorUpdated " + to_string(x.state));
      },
      [=](LeaderEpoch, const MasterChanged& x) { note(x); },
      [=](const RequestExecutors&) { return true; },
      [=](const KillExecutors&) { return true; },
      [=](const SetSparkVersion&) { return true; },
      [=](const RequestOutput&) { return OutputResponse{}; },
      [=](const WriteInput&) { return InputResponse{}; },
      [](const ReportJobs&) {},
      [=](const StopAppClient&) { return true; },
      [](const SubscribeToNews&) {},
      [=](const AppClientTick&) {},
  };
}

} // namespace stoker::test
