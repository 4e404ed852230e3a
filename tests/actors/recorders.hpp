#pragma once

// Workers and applications that are played by a test: they note what a master
// tells them.

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include <caf/typed_event_based_actor.hpp>
#include <caf/typed_response_promise.hpp>

#include "actors/interfaces.hpp"

namespace stoker::test {

/// What is answered to each request for output.
OutputResponse output_response();

/// What is answered to each piece of input.
InputResponse input_response();

/// What a worker has heard, and what it answers.
struct WorkerRecord {
  /// The names of messages, and the epoch of the last one.
  std::vector<std::string> lines;
  LeaderEpoch epoch;
  std::vector<LaunchExecutor> launches;
  std::vector<RequestOutput> output_requests;
  std::vector<WriteInput> inputs;
  caf::error error;

  /// The next answers to requests for output. When there are none, it gives one of its own.
  std::deque<OutputResponse> outputs;

  /// Keep other requests for output without an answer, in `unanswered`, until a
  /// `WorkerInternal` says that there will be none.
  bool silent = false;
  std::vector<caf::typed_response_promise<OutputResponse>> unanswered;
  std::vector<caf::typed_response_promise<InputResponse>> unanswered_inputs;
};

using WorkerRecordPtr = std::shared_ptr<WorkerRecord>;

WorkerActor::behavior_type worker_recorder(WorkerActor::pointer self,
                                           WorkerRecordPtr record);

/// Notes the names of messages.
AppClientActor::behavior_type
app_recorder(std::shared_ptr<std::vector<std::string>> lines);

} // namespace stoker::test
