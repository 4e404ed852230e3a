#pragma once

#include <optional>
#include <string>

#include "gateway/spark_answers.hpp"
#include "spark/messages.hpp"

namespace stoker {

// What a SPARK PEER does for an application's driver, which it stands for.

void register_application(SparkPeerSelf self, const spark::JavaGraph& graph,
                          const spark::RegisterApplication& x);
void request_executors(SparkPeerSelf self, const SparkAnswers& answers,
                       const spark::RequestExecutors& x);
void kill_executors(SparkPeerSelf self, const SparkAnswers& answers,
                    const spark::KillExecutors& x);
void unregister_application(SparkPeerSelf self, const SparkAnswers& answers,
                            const spark::UnregisterApplication& x);

/// Tells the driver what its application has learned.
void hear_news(SparkPeerSelf self, const ApplicationNews& news);

/// Ends the application, unless it has ended. `failure`: why it could not be done.
void end_application(SparkPeerSelf self,
                     const std::optional<std::string>& failure);

// -- drivers of the last leader -----------------------------------------------

/// Tells the driver that this master leads now.
void call_back(SparkPeerSelf self, const SparkDriverRecall& x);

/// It follows this master.
void acknowledge(SparkPeerSelf self, const spark::MasterChangeAcknowledged& x);

} // namespace stoker
