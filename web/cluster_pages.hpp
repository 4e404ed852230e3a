#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <caf/allowed_unsafe_message_type.hpp>
#include <caf/replies_to.hpp>
#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include "actors/clock.hpp"
#include "actors/feed.hpp"
#include "actors/interfaces.hpp"
#include "gateway/spark_users.hpp"
#include "metrics/master_metrics.hpp"
#include "network/limited_log.hpp"
#include "web/cluster_copy.hpp"
#include "web/http.hpp"

namespace stoker {

/// Somebody wants to read of the cluster's state.
struct AnswerPage {
  /// Of "/json/workers" and the like, "/metrics", "/healthz" or "/readyz".
  HttpRequest request;
  HttpReplyPtr reply;
};

/// The CLUSTER PAGES answer who reads of the cluster, out of a copy: they follow what the
/// leader commits. What is in no table they ask the master for, while somebody reads, and at
/// most once a second.
using ClusterPagesActor = caf::typed_actor<caf::reacts_to<AnswerPage>>;

struct ClusterPagesConfig {
  FeedActor feed;
  MasterActor master;

  /// Where Spark's programs find the master, or others.
  std::string url;
  SparkUsers users = SparkUsers::own;

  /// What the master counts. Null: nothing.
  std::shared_ptr<const MasterMetrics> metrics;
};

/// The state of the CLUSTER PAGES.
struct ClusterPagesState {
  ClusterPagesConfig config;
  std::optional<WallClock> clock;
  ClusterCopy copy;

  /// When the master was asked last.
  std::optional<Instant> asked;
  bool is_asking = false;

  /// It has not answered the last question.
  bool is_silent = false;

  /// Who reads what the master is asked for.
  std::vector<AnswerPage> waiting;

  /// What was written since something changed, by field.
  std::map<std::string, std::shared_ptr<const std::string>> texts;

  LimitedLog refusals{"web-refused"};

  /// Names the actor in logs.
  static constexpr const char* name = "cluster-pages";
};

ClusterPagesActor::behavior_type
cluster_pages(ClusterPagesActor::stateful_pointer<ClusterPagesState> self,
              ClusterPagesConfig config);

} // namespace stoker

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(stoker::AnswerPage)
