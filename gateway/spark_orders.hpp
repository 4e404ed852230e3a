#pragma once

#include <string>

#include "gateway/spark_answers.hpp"

namespace stoker {

// What a worker of Spark's is told by a SPARK PEER: the master's orders, in the form of the
// worker's version.

/// A whole frame.
std::string order_frame(const SparkWorkerProxy& worker,
                        const RegisterWorkerFailed& x);

void pass_on(SparkPeerSelf self, const RegisteredWorker& x);
void pass_on(SparkPeerSelf self, const RegisterWorkerFailed& x);
void pass_on(SparkPeerSelf self, const MasterInStandby& x);
void pass_on(SparkPeerSelf self, const ReconnectWorker& x);
void pass_on(SparkPeerSelf self, const DecommissionWorker& x);
void pass_on(SparkPeerSelf self, const MasterChanged& x);
void pass_on(SparkPeerSelf self, const LaunchExecutor& x);
void pass_on(SparkPeerSelf self, const KillExecutor& x);
void pass_on(SparkPeerSelf self, const ApplicationFinished& x);
void pass_on(SparkPeerSelf self, const LaunchDriver& x);
void pass_on(SparkPeerSelf self, const KillDriver& x);

/// Why nobody reads what a program on the worker writes.
std::string why_no_output(SparkPeerSelf self);

} // namespace stoker
