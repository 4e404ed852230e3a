#pragma once

#include <string>
#include <vector>

#include "gateway/spark_answers.hpp"
#include "spark/messages.hpp"

namespace stoker {

// What a SPARK PEER does for those who submit drivers, as spark-submit does with
// --deploy-mode cluster. Each is answered in the form of the table.

/// @param tables what the submitter's messages agree with, the newest first; it is answered
/// in the form of that
void submit(SparkPeerSelf self, const SparkAnswers& answers,
            const std::vector<const spark::VersionTable*>& tables,
            const spark::RequestSubmitDriver& x);

/// Kills a driver, if it is the user's.
void kill_driver(SparkPeerSelf self, const SparkAnswers& answers,
                 const spark::VersionTable& table, const std::string& id);

void tell_status(SparkPeerSelf self, const SparkAnswers& answers,
                 const spark::VersionTable& table, const std::string& id);

} // namespace stoker
