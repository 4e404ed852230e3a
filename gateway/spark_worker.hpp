#pragma once

#include <vector>

#include "gateway/spark_answers.hpp"
#include "spark/messages.hpp"

namespace stoker {

// What a SPARK PEER does for a worker of Spark's, which it stands for: what the worker says
// goes on to the master. Such a worker starts nothing but executors and drivers of Spark's
// own version of its.

/// @param tables what its messages agree with, the newest first
void register_worker(SparkPeerSelf self,
                     const std::vector<const spark::VersionTable*>& tables,
                     const spark::RegisterWorker& x);

/// The worker's page has said its version, or why it does not.
void hear_version_of_worker(SparkPeerSelf self,
                            const Result<std::string>& version);

/// @param frame what it stands in
void pass_on_heartbeat(SparkPeerSelf self, const spark::Heartbeat& x,
                       const std::string& frame);

void report_state(SparkPeerSelf self, const spark::WorkerLatestState& x);
void report_change(SparkPeerSelf self, const SparkAnswers& answers,
                   const spark::ExecutorStateChanged& x);
void report_change(SparkPeerSelf self, const spark::DriverStateChanged& x);
void decommission(SparkPeerSelf self, const spark::WorkerDecommissioning& x);

/// The worker's connection has ended.
void leave_worker(SparkPeerSelf self);

// -- workers of the last leader -----------------------------------------------

/// Tells the worker that this master leads now.
void call_back(SparkPeerSelf self, const SparkWorkerRecall& x);

/// It follows this master, and says what it runs.
void report_state(SparkPeerSelf self,
                  const spark::WorkerSchedulerStateResponse& x);

} // namespace stoker
