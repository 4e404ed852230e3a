#include "tests/actors/fake_master.hpp"

#include <caf/actor_cast.hpp>

#include "messages/caf_error.hpp"
#include "tests/actors/recorders.hpp"

namespace stoker::test {

namespace {

/// Notes an event and who sent it.
void note(MasterActor::pointer self, const Record& record, const Event& x) {
  record->events.push_back(x);
  record->peer = self->current_sender();
}

template <class Answer>
caf::result<Answer> answer(MasterActor::pointer self, const Record& record,
                           Answer x) {
  auto promise = self->make_response_promise<Answer>();
  if (record->error)
    return promise.deliver(record->error);
  if (record->answers)
    return promise.deliver(std::move(x));
  return promise;
}

} // namespace

MasterActor::behavior_type fake_master(MasterActor::pointer self,
                                       Record record) {
  auto notes = [=](const auto& x) { note(self, record, x); };
  auto agrees = [=](const auto& x) {
    note(self, record, x);
    return answer(self, record, true);
  };
  return {
      [=](const RegisterWorker& x) { notes(x); },
      [=](const Heartbeat& x) { notes(x); },
      [=](const WorkerLatestState& x) { notes(x); },
      [=](const WorkerSchedulerStateResponse& x) { notes(x); },
      [=](const WorkerDecommissioning& x) { notes(x); },
      [=](const WorkerLeft& x) { notes(x); },
      [=](const ExecutorStateChanged& x) { return agrees(x); },
      [=](const DriverStateChanged& x) { notes(x); },
      [=](const FetchFilePart& x) {
        record->fetches.push_back(x);
        return answer(self, record, record->file_part);
      },
      [=](const RegisterApplication& x) { notes(x); },
      [=](const UnregisterApplication& x) { return agrees(x); },
      [=](const MasterChangeAcknowledged& x) { notes(x); },
      [=](const ApplicationHeartbeat& x) { notes(x); },
      [=](const RequestExecutors& x) { return agrees(x); },
      [=](const KillExecutors& x) { return agrees(x); },
      [=](const SetSparkVersion& x) { return agrees(x); },
      [=](const ReportJobs& x) { record->reports.push_back(x); },
      [=](const StoreFilePart&) { return StoreFileResponse{}; },
      [=](const RequestSubmitDriver&) {
        return answer(self, record, SubmitDriverResponse{});
      },
      [=](const RequestKillDriver&) {
        return answer(self, record, KillDriverResponse{});
      },
      [=](const RequestDriverStatus&) {
        return answer(self, record, DriverStatusResponse{});
      },
      [=](const RequestQueues&) { return QueuesResponse{}; },
      [=](const RequestExplanation&) { return ExplanationResponse{}; },
      [=](const RequestPlan&) { return PlanResponse{}; },
      [=](const RequestJobs&) { return JobsResponse{}; },
      [=](const RequestReload&) { return ReloadResponse{}; },
      [=](const RequestMasterState&) {
        return answer(self, record, MasterStateResponse{});
      },
      [=](const RequestKillApplication&) {
        return answer(self, record, KillApplicationResponse{});
      },
      [=](const DecommissionWorkers&) {
        return answer(self, record, DecommissionWorkersResponse{});
      },
      [=](const RequestHistory&) {
        return answer(self, record, HistoryResponse{});
      },
      [=](const RequestUse&) { return answer(self, record, UseResponse{}); },
      [=](const RequestOutputPlace&) { return OutputPlaceResponse{}; },
      [=](const RequestOutput& x) {
        record->output_requests.push_back(x);
        return answer(self, record, output_response());
      },
      [=](const WriteInput& x) {
        record->inputs.push_back(x);
        // One that goes down takes nothing.
        auto takes = record->answers && !record->error && record->on_input;
        return answer(self, record,
                      takes ? record->on_input(x) : input_response());
      },
      [=](const RequestEnds&) { return EndsResponse{}; },
      [=](const AwaitChange&) { return ChangePosition{}; },
      [=](const ElectionWon&) {},
      [=](const MasterBeat&) {},
      [=](const HeartbeatBatch&) {},
      [=](const CheckFollowers&) {},
      [=](const CheckFiles&) {},
      [=](const CheckForWorkerTimeOut&) {},
  };
}

ConnectorActor::behavior_type
scripted_connector(ConnectorActor::pointer self,
                   std::shared_ptr<ConnectorScript> script) {
  return {
      [=](const ConnectToMaster& x) -> caf::result<caf::strong_actor_ptr> {
        script->asked.push_back(x.master);
        auto promise = self->make_response_promise<caf::strong_actor_ptr>();
        if (script->silent)
          return promise;
        const auto& master = script->masters.at(x.master);
        if (!master)
          return promise.deliver(
              caf::make_error(script->failure_code, script->failure));
        return promise.deliver(caf::actor_cast<caf::strong_actor_ptr>(master));
      },
  };
}

} // namespace stoker::test
