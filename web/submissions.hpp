#pragma once

#include <string>

#include <caf/allowed_unsafe_message_type.hpp>
#include <caf/replies_to.hpp>
#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include "actors/interfaces.hpp"
#include "gateway/spark_users.hpp"
#include "network/limited_log.hpp"
#include "web/cluster_pages.hpp"
#include "web/http.hpp"
#include "web/spark_url.hpp"
#include "web/submission_request.hpp"

namespace stoker {

/// Somebody asks what Spark's clients ask at the REST port of its master.
struct AnswerSubmission {
  HttpRequest request;
  HttpReplyPtr reply;
};

/// There are pages from now on.
struct PagesAreOpen {
  ClusterPagesActor pages;
};

/// The SUBMISSIONS start, end and show drivers for who asks over HTTP, as Spark's master
/// does (org.apache.spark.deploy.rest.StandaloneRestServer).
using SubmissionsActor
    = caf::typed_actor<caf::reacts_to<AnswerSubmission>,
                       // -- INTERNAL
                       caf::reacts_to<PagesAreOpen>, caf::reacts_to<SparkUrl>>;

struct SubmissionsConfig {
  MasterActor master;
  SparkUsers users = SparkUsers::own;

  /// Without a `spark_url` no driver is taken: it would not find the master.
  SubmissionPlace place;

  /// Who has started or ended something is answered when they show it. Null: there are none.
  ClusterPagesActor pages = {};
};

/// The state of the SUBMISSIONS.
struct SubmissionsState {
  SubmissionsConfig config;
  LimitedLog refusals{"rest-refused"};

  /// Names the actor in logs.
  static constexpr const char* name = "submissions";
};

SubmissionsActor::behavior_type
submissions(SubmissionsActor::stateful_pointer<SubmissionsState> self,
            SubmissionsConfig config);

} // namespace stoker

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(stoker::AnswerSubmission)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(stoker::PagesAreOpen)
