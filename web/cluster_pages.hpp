#pragma once

#include <cstddef>
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
#include "network/credentials.hpp"
#include "network/limited_log.hpp"
#include "pages/page.hpp"
#include "web/cluster_copy.hpp"
#include "web/event_log.hpp"
#include "web/event_readers.hpp"
#include "web/freshness.hpp"
#include "web/http.hpp"
#include "web/http_stream.hpp"
#include "web/live_pages.hpp"
#include "web/page_address.hpp"
#include "web/page_answers.hpp"
#include "web/page_proxy.hpp"
#include "web/share_history.hpp"
#include "web/spark_url.hpp"
#include "web/web_secret.hpp"
#include "web/web_sessions.hpp"
#include "web/web_user.hpp"

namespace stoker {

/// Somebody wants to read of the cluster's state.
struct AnswerPage {
  /// Of a page for people, of what changes of it ("/live?page=..."), of "/json/workers" and
  /// the like, of "/api/v1/...", "/metrics", "/healthz" or "/readyz"; or to be known, at
  /// "/login" and the like.
  HttpRequest request;
  HttpReplyPtr reply;

  /// Who asks. Unset: nobody has looked yet.
  std::optional<WebUser> user = std::nullopt;

  /// What is asked of was not there a moment ago.
  bool is_second_look = false;
};

/// Somebody has started or ended something over HTTP. He is answered when all that he reads
/// then shows it.
struct AnswerWhenShown {
  HttpResponse response;
  HttpReplyPtr reply;
};

/// More is to be taken of what the feed has told: who reads does not wait for all of it.
struct TakeChanges {};

/// Time has passed: what has changed is sent to those who follow a page.
struct ShowLivePages {};

/// Who follows events has read what he was sent: there may be more.
struct ShowMoreEvents {
  std::shared_ptr<HttpStream> to;
};

/// Time has passed: what changed lately goes into the history of shares.
struct LookAtShares {};

/// An answer that goes on was begun in a session, and ends with it.
struct KeepStream {
  /// As the user's `session`.
  std::string session;
  std::shared_ptr<HttpStream> stream;
};

/// A session has become too old, or a certificate was revoked.
struct EndOldSessions {};

/// The CLUSTER PAGES answer who reads of the cluster, out of a copy: they follow what the
/// leader commits. What is in no table they ask the master for, while somebody reads, and at
/// most once a second of each page.
using ClusterPagesActor = caf::typed_actor<
    caf::reacts_to<AnswerPage>, caf::reacts_to<AnswerWhenShown>,
    // -- INTERNAL
    caf::reacts_to<TakeChanges>, caf::reacts_to<ShowLivePages>,
    caf::reacts_to<ShowMoreEvents>, caf::reacts_to<LookAtShares>,
    caf::reacts_to<KeepStream>, caf::reacts_to<EndOldSessions>,
    caf::reacts_to<SparkUrl>>;

struct ClusterPagesConfig {
  FeedActor feed;
  MasterActor master;

  /// Where Spark's programs find the master; where that is nowhere, as `master_url`.
  std::string spark_url;

  /// As "stoker://127.0.0.1:7070".
  std::string master_url;

  /// Whom the kernel's word lets in.
  SparkUsers users = SparkUsers::own;

  /// What the master counts. Null: nothing.
  std::shared_ptr<const MasterMetrics> metrics;

  /// Whoever reaches the pages may read the metrics.
  bool has_public_metrics = false;

  /// What the pages prove themselves with, and judge certificates by. Null: nothing is encrypted.
  std::shared_ptr<const Credentials> credentials = nullptr;

  /// As of `Freshness`: one twentieth of the time goes to writing the same at most.
  int of_use_factor = 20;

  /// Asks pages of programs for readers. Null if /proxy/ is switched off.
  std::shared_ptr<PageProxy> proxy = nullptr;

  /// The address of a proxy in front of the pages; empty: there is none.
  std::string proxy_url = {};

  /// Whether pages of programs on other machines are asked, too.
  bool has_programs_elsewhere = false;
};

/// The state of the CLUSTER PAGES.
struct ClusterPagesState {
  ClusterPagesConfig config;
  std::optional<WallClock> clock;
  ClusterCopy copy;

  /// What the feed has told last, as far as it is not in the copy yet.
  struct UpdateUnderWay {
    FeedUpdate update;
    std::size_t batch = 0;
    std::size_t change = 0;
  };
  UpdateUnderWay under_way;

  /// Up to where the copy has all that was committed.
  FeedPosition shown;

  /// Who is answered when the copy has come so far.
  struct UnshownAnswer {
    FeedPosition when;
    AnswerWhenShown answer;
  };
  std::vector<UnshownAnswer> unshown;

  /// As the feed counts.
  std::uint64_t jobs_reported = 0;

  /// How often something has changed.
  std::uint64_t changes = 0;

  /// The same, with what the master has said of its workers.
  std::uint64_t news = 0;

  /// Somebody was told of so much of it: nobody is shown less.
  std::uint64_t news_told = 0;
  EventLog events;
  ShareHistory shares;
  bool will_look = false;

  /// When the master was asked last.
  std::optional<Instant> asked;
  bool is_asking = false;

  /// What those are told who ask while it does not lead, as the master has said. Empty: it
  /// has not.
  std::string why_in_standby;

  /// It has not answered the last question.
  bool is_silent = false;

  /// Who reads what the master is asked for.
  std::vector<AnswerPage> waiting;

  /// What was answered to programs that asked for the state, and how fresh that is.
  struct KeptAnswer {
    HttpResponse response;
    Freshness freshness;

    /// The same for who takes gzip. Nothing: nobody has asked for it.
    std::optional<HttpResponse> compressed;
  };

  /// By target, as "/json/workers".
  std::map<std::string, KeptAnswer> answers;

  /// A page that is read, as far as the master has to be asked for it.
  struct OpenPage {
    PageAddress address;
    PageAnswers answers;
    std::optional<Instant> asked;

    /// How many changes there had been then.
    std::uint64_t changes = 0;

    /// What it showed last, to whoever reads, and how fresh that is. Nothing: it has to be
    /// made.
    std::optional<pages::Page> content;
    std::optional<Freshness> freshness;

    /// Questions that are not yet answered, and who waits for that.
    int unanswered = 0;
    std::vector<AnswerPage> waiting;
  };

  /// By target, as "/workers?page=2".
  std::map<std::string, OpenPage> open_pages;
  LivePages live;
  EventReaders event_readers;
  bool will_show = false;

  /// Something has changed since live pages were shown.
  bool has_news = false;
  std::optional<Instant> status_shown;

  WebSessions sessions;

  /// Makes the tokens of forms.
  WebSecret form_key{};

  LimitedLog refusals{"web-refused"};

  /// Names the actor in logs.
  static constexpr const char* name = "cluster-pages";
};

ClusterPagesActor::behavior_type
cluster_pages(ClusterPagesActor::stateful_pointer<ClusterPagesState> self,
              ClusterPagesConfig config);

/// Sends the answer to an order on when the pages show what was done, and the answer that
/// nothing was done at once.
/// @param pages null: there are none, and it goes on at once
HttpReplyPtr when_shown(const ClusterPagesActor& pages, HttpReplyPtr reply);

} // namespace stoker

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(stoker::AnswerPage)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(stoker::AnswerWhenShown)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(stoker::TakeChanges)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(stoker::ShowLivePages)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(stoker::ShowMoreEvents)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(stoker::LookAtShares)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(stoker::KeepStream)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(stoker::EndOldSessions)
