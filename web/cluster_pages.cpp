#include "web/cluster_pages.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <variant>

#include <boost/json/object.hpp>
#include <caf/actor_cast.hpp>
#include <caf/send.hpp>

#include "actors/failure.hpp"
#include "messages/caf_error.hpp"
#include "messages/following.hpp"
#include "messages/printable.hpp"
#include "messages/utf8_json.hpp"
#include "metrics/open_metrics.hpp"
#include "scheduling/leadership/outbox.hpp"
#include "web/cluster_metrics.hpp"
#include "web/cluster_pages_tasks.hpp"
#include "web/gzip.hpp"
#include "web/html_answers.hpp"
#include "web/output_follower.hpp"
#include "web/output_portion.hpp"
#include "web/page_query.hpp"
#include "web/spark_state.hpp"
#include "web/web_access.hpp"

namespace stoker {

namespace {

/// What it said is shown for so long while it is asked again.
constexpr std::chrono::milliseconds observation_max_age{5000};

/// Of whether it leads, others believe this: a master that cannot store may lead at this
/// moment, and not at the next.
constexpr std::chrono::milliseconds health_max_age{50};

/// Of what the feed tells so many changes are taken before others have their turn: an
/// application that is given ten thousand executors is one step of the master's.
constexpr std::size_t taken_at_once = 100;

/// Of so many targets it is kept what programs were answered.
constexpr std::size_t kept_answers_max = 100;

constexpr std::string_view json_path = "/json/";
constexpr std::string_view live_path = "/live";
constexpr std::string_view rest_path = "/api/v1";
constexpr std::string_view metrics_path = "/metrics";
constexpr std::string_view spark_metrics_paths[]
    = {"/metrics/master/prometheus", "/metrics/prometheus"};
constexpr std::string_view spark_figures_paths[]
    = {"/metrics/master/json", "/metrics/json"};
constexpr std::string_view alive_path = "/healthz";
constexpr std::string_view ready_path = "/readyz";

void take_changes(PagesSelf self);

void note_news(ClusterPagesState& state) {
  ++state.news;
  state.has_news = true;
}

void look_at_shares(PagesSelf self) {
  self->state.will_look = false;
  self->state.shares.look(self->state.copy, self->state.clock->now());
  ++self->state.news;
}

/// Takes the next changes. Returns whether there are more.
bool take_some(ClusterPagesState& state) {
  auto& x = state.under_way;
  auto now = state.clock->now();
  for (std::size_t taken = 0; x.batch < x.update.batches.size();
       ++x.batch, x.change = 0)
    for (const auto& batch = *x.update.batches[x.batch];
         x.change < batch.size(); ++x.change) {
      if (++taken > taken_at_once)
        return true;
      state.events.note(batch[x.change], state.copy, now);
      state.copy.apply(batch[x.change]);
    }
  return false;
}

void follow(PagesSelf self) {
  auto& state = self->state;
  self->request(state.config.feed, caf::infinite,
                FollowChanges{state.copy.position(), state.jobs_reported})
      .then(
          [self](const FeedUpdate& x) {
            auto& s = self->state;
            if (x.snapshot)
              s.events.begin(*x.snapshot, s.clock->now());
            s.copy.begin(x);
            s.under_way = {x};
            take_changes(self);
          },
          // The master has ended, and its feed with it.
          [self](const caf::error&) { self->quit(); });
}

void take_changes(PagesSelf self) {
  auto& state = self->state;
  if (take_some(state))
    return self->send(self, TakeChanges{});
  if (!std::exchange(state.will_look, true))
    self->delayed_send(self, state.shares.wait(state.clock->now()),
                       LookAtShares{});
  state.jobs_reported = state.under_way.update.jobs;
  state.under_way = {};
  state.shown = state.copy.position();
  ++state.changes;
  note_news(state);
  answer_shown(state);
  follow(self);
}

/// As "workers"; empty: all. Nothing else.
std::string field_of(const HttpRequest& x) {
  if (!x.path.starts_with(json_path))
    return {};
  auto result = x.path.substr(json_path.size());
  if (result.ends_with('/'))
    result.pop_back();
  return is_spark_state_part(result) ? result : std::string{};
}

HttpResponse state_page(PagesSelf self, const HttpRequest& x) {
  auto field = field_of(x);
  return kept_answer(self->state, x, std::string{json_path} + field, [&] {
    const auto& state = self->state;
    auto page = spark_state_part(
        spark_state(state.copy, state.config.spark_url, state.clock->now()),
        field);
    HttpResponse result;
    // Spark's own.
    result.content_type = "text/json;charset=utf-8";
    result.body = std::make_shared<const std::string>(utf8_json(page));
    return result;
  });
}

HttpResponse metrics_page(PagesSelf self, const HttpRequest& x) {
  auto& state = self->state;
  auto families = cluster_metrics(state.copy, state.clock->now());
  if (state.config.metrics) {
    auto counted = state.config.metrics->collect();
    families.insert(families.end(), std::make_move_iterator(counted.begin()),
                    std::make_move_iterator(counted.end()));
  }
  auto format = metrics_format(x.accept);
  HttpResponse result;
  result.content_type = content_type_of(format);
  result.body
      = std::make_shared<const std::string>(write_metrics(families, format));
  return result;
}

/// What Spark's master counts, as its own JSON (org.apache.spark.metrics.sink.MetricsServlet).
HttpResponse spark_figures_page(PagesSelf self) {
  boost::json::object gauges;
  for (const auto& x : spark_figures(self->state.copy))
    gauges[std::string{"master."} + x.name]
        = boost::json::object{{"value", x.value}};
  boost::json::object nothing;
  return http_json(utf8_json(boost::json::object{{"version", "4.0.0"},
                                                 {"gauges", gauges},
                                                 {"counters", nothing},
                                                 {"histograms", nothing},
                                                 {"meters", nothing},
                                                 {"timers", nothing}}));
}

/// A word for people: who asks looks at the status.
HttpResponse health_page(unsigned status, RecoveryState master) {
  HttpResponse result;
  result.status = status;
  result.content_type = "text/plain;charset=utf-8";
  result.body = std::make_shared<const std::string>(to_string(master) + "\n");
  return result;
}

/// A probe of another user's learns a word that says nothing of what runs.
bool is_of_health(const HttpRequest& x) {
  return x.path == alive_path || x.path == ready_path;
}

template <std::size_t n>
bool is_one_of(const HttpRequest& x, const std::string_view (&paths)[n]) {
  std::string_view path = x.path;
  if (path.ends_with('/'))
    path.remove_suffix(1);
  return std::find(std::begin(paths), std::end(paths), path) != std::end(paths);
}

bool is_of_spark_figures(const HttpRequest& x) {
  return is_one_of(x, spark_figures_paths);
}

/// Also where Spark's master has its own.
bool is_of_metrics(const HttpRequest& x) {
  return x.path == metrics_path || x.path == std::string{metrics_path} + '/'
         || is_one_of(x, spark_metrics_paths) || is_of_spark_figures(x);
}

// -- what is asked ------------------------------------------------------------

HttpResponse page(PagesSelf self, const HttpRequest& x) {
  const auto& observation = self->state.copy.observation();
  if (is_of_spark_figures(x))
    return spark_figures_page(self);
  if (is_of_metrics(x))
    return metrics_page(self, x);
  if (x.path == alive_path)
    return health_page(200, observation->status);
  if (x.path == ready_path)
    return health_page(observation->status == RecoveryState::ALIVE ? 200 : 503,
                       observation->status);
  return state_page(self, x);
}

bool is_rest(const HttpRequest& x) {
  std::string_view path = x.path;
  if (!path.starts_with(rest_path))
    return false;
  path.remove_prefix(rest_path.size());
  return path.empty() || path.starts_with('/');
}

bool is_for_programs(const HttpRequest& x) {
  return is_of_metrics(x) || x.path.starts_with(json_path) || is_of_health(x);
}

void answer(PagesSelf self, const AnswerPage& x) {
  const auto& state = self->state;
  if (!state.copy.observation() || (state.is_silent && is_of_health(x.request)))
    return x.reply->answer(http_problem(503, "the master does not answer"));
  if (x.request.path == live_path)
    return answer_live(self, x);
  if (is_rest(x.request))
    return answer_rest(self, x);
  if (is_of_kill(x.request))
    return answer_kill(self, x);
  if (is_of_spark_page(x.request))
    return answer_spark_page(self, x);
  if (!is_for_programs(x.request))
    return answer_people(self, x);
  x.reply->answer(page(self, x.request));
}

void answer_waiting(PagesSelf self) {
  for (const auto& x : std::exchange(self->state.waiting, {}))
    answer(self, x);
}

/// Whether what the master said last is of use while it is asked again: who reads does not
/// wait for a master that is busy.
bool is_fresh_enough(const ClusterPagesState& state, const HttpRequest& x) {
  const auto& observation = state.copy.observation();
  return observation && !is_of_health(x)
         && state.clock->now() - observation->at < observation_max_age;
}

/// Sends the answer on. One that goes on is known to the session in which it was begun.
HttpReplyPtr reply_within(PagesSelf self, const std::string& session,
                          const HttpReplyPtr& reply) {
  // By address: the pages keep replies, and must not keep themselves.
  return std::make_shared<HttpReply>(
      [=, pages = self->address()](HttpResponse x) {
        if (auto there = caf::actor_cast<ClusterPagesActor>(pages);
            there && x.stream)
          caf::anon_send(there, KeepStream{session, x.stream});
        x.is_to_known = true;
        reply->answer(std::move(x));
      });
}

/// Notes who asks. False: he may not, and was told so.
bool let_in(PagesSelf self, AnswerPage& x) {
  auto& state = self->state;
  auto found = who_asks(x.request, state.config.users, state.sessions,
                        state.clock->now());
  if (auto* user = std::get_if<WebUser>(&found)) {
    x.user = std::move(*user);
    if (!x.user->session.empty())
      x.reply = reply_within(self, x.user->session, x.reply);
    return true;
  }
  if (is_of_health(x.request)
      || (state.config.has_public_metrics && is_of_metrics(x.request)))
    return true;
  auto& [problem, why] = std::get<WebRefusal>(found);
  if (why)
    log_refused_user(state.refusals, x.request.peer, *why);
  x.reply->answer(takes_html(x.request)
                      ? page_of_problem(problem, frame_of(state, x))
                      : std::move(problem));
  return false;
}

void read_output(PagesSelf self, const AnswerPage& x,
                 const OutputRequest& output) {
  const auto& master = self->state.config.master;
  if (auto problem = output_query_problem(x.request.query); !problem.empty())
    return x.reply->answer(http_problem(400, problem));
  auto portion = output_portion_of(x.request);
  if (!portion) {
    self->spawn(output_follower, OutputFollowerConfig{master, output, x.reply});
    return;
  }
  auto after = parse_reading_place(*portion);
  if (!after && *portion != "last")
    return x.reply->answer(http_problem(
        400, "portion is \"last\", or what the field Link has given"));
  self->spawn(output_portion,
              OutputPortionConfig{master, output, after, x.reply});
}

/// Sends the answer on, compressed if it is long. Whoever gives it takes the time for that.
HttpReplyPtr compressing(const HttpReplyPtr& reply) {
  return std::make_shared<HttpReply>([reply](HttpResponse x) {
    reply->answer(x.status == 200 ? compressed(std::move(x), GzipEffort::quick)
                                  : std::move(x));
  });
}

/// What a page takes: only what ends something takes an order.
const char* methods_of(const HttpRequest& x) {
  if (is_spark_order(x))
    return "POST";
  return takes_form(x) ? "GET, HEAD, POST" : "GET, HEAD";
}

bool takes_method(const HttpRequest& x) {
  if (x.method == "POST")
    return takes_form(x) || is_spark_order(x);
  return !is_spark_order(x) && (x.method == "GET" || x.method == "HEAD");
}

void hear(PagesSelf self, AnswerPage x) {
  auto& state = self->state;
  if (answer_login(self, x) || !let_in(self, x))
    return;
  if (is_rest(x.request) && x.request.takes_gzip)
    x.reply = compressing(x.reply);
  if (!is_rest(x.request) && !takes_method(x.request))
    return x.reply->answer(http_other_method(methods_of(x.request)));
  if (auto output = parse_output_request(x.request))
    return read_output(self, x, *output);
  if (is_rest(x.request) && !needs_copy(self, x))
    return;
  auto is_due
      = !state.asked
        || state.clock->now() - *state.asked
               >= (is_of_health(x.request) ? health_max_age : ask_pages_every);
  auto is_known = state.copy.observation() && !is_due && !state.is_asking;
  if (!is_known && !state.is_asking)
    ask_master(self);
  if (is_known || is_fresh_enough(state, x.request))
    return answer(self, x);
  state.waiting.push_back(x);
}

// -- what is kept -------------------------------------------------------------

HttpResponse compressed_answer(ClusterPagesState::KeptAnswer& kept) {
  if (!kept.compressed) {
    auto begin = Freshness::Clock::now();
    kept.compressed = compressed(kept.response, GzipEffort::quick);
    kept.freshness.add_cost(Freshness::Clock::now() - begin);
  }
  return *kept.compressed;
}

void answered(PagesSelf self) {
  self->state.is_asking = false;
  answer_waiting(self);
}

/// No table says why it does not lead. A question that only a leader answers is refused with
/// that.
void ask_why_it_stands_by(PagesSelf self) {
  self->request(self->state.config.master, pages_patience, RequestEnds{})
      .then(
          [self](const EndsResponse&) {
            // It leads by now.
            self->state.why_in_standby.clear();
            answered(self);
          },
          [self](const caf::error& e) {
            if (e == Errc::not_alive)
              self->state.why_in_standby = printable(self->system().render(e));
            answered(self);
          });
}

} // namespace

HttpResponse kept_answer(ClusterPagesState& state, const HttpRequest& x,
                         const std::string& target,
                         const std::function<HttpResponse()>& make) {
  auto begin = Freshness::Clock::now();
  auto found = state.answers.find(target);
  if (found == state.answers.end()
      || !found->second.freshness.lasts(state.news, state.news_told, begin,
                                        state.config.of_use_factor)) {
    auto response = make();
    if (response.status != 200)
      return response;
    if (state.answers.size() >= kept_answers_max)
      state.answers.clear();
    Freshness freshness{state.news, begin, Freshness::Clock::now()};
    found = state.answers
                .insert_or_assign(target,
                                  ClusterPagesState::KeptAnswer{
                                      std::move(response), freshness, {}})
                .first;
  }
  auto& kept = found->second;
  return x.takes_gzip ? compressed_answer(kept) : kept.response;
}

bool leads(const ClusterPagesState& state) {
  const auto& x = state.copy.observation();
  return x && x->status != RecoveryState::STANDBY;
}

bool stands_by(const ClusterPagesState& state) {
  return state.copy.observation() && !leads(state);
}

std::string standby_reason(const ClusterPagesState& state) {
  return state.why_in_standby.empty() ? not_alive().message
                                      : state.why_in_standby;
}

void ask_master(PagesSelf self) {
  auto& state = self->state;
  state.is_asking = true;
  state.asked = state.clock->now();
  RequestMasterState question;
  question.applications = question.drivers = false;
  self->request(state.config.master, pages_patience, question)
      .then(
          [self](const MasterStateResponse& x) {
            auto& s = self->state;
            s.is_silent = false;
            s.copy.observe(x, s.clock->now());
            // Durations go on, too.
            note_news(s);
            if (stands_by(s))
              return ask_why_it_stands_by(self);
            s.why_in_standby.clear();
            answered(self);
          },
          [self](const caf::error&) {
            self->state.is_silent = true;
            answered(self);
          });
}

ClusterPagesActor::behavior_type cluster_pages(PagesSelf self,
                                               ClusterPagesConfig config) {
  handle_the_unexpected(self);
  self->state.config = std::move(config);
  self->state.clock.emplace(self->clock());
  auto key = make_web_secret();
  if (!key)
    throw std::runtime_error{key.error().message};
  self->state.form_key = *key;
  follow(self);
  return {[self](const AnswerPage& x) { hear(self, x); },
          [self](const AnswerWhenShown& x) { answer_when_shown(self, x); },
          [self](TakeChanges) { take_changes(self); },
          [self](ShowLivePages) { show_live_pages(self); },
          [self](const ShowMoreEvents& x) { show_more_events(self, *x.to); },
          [self](LookAtShares) { look_at_shares(self); },
          [self](const KeepStream& x) {
            self->state.sessions.add_stream(x.session, x.stream);
          },
          [self](EndOldSessions) {
            auto& s = self->state;
            s.sessions.forget_the_old(s.clock->now());
            if (const auto& by = s.config.credentials)
              s.sessions.forget_if(
                  [&](const WebUser& x) { return by->are_revoked(x.serials); });
          },
          [self](const SparkUrl& x) {
            self->state.config.spark_url = x.url;
            self->state.answers.clear();
          }};
}

} // namespace stoker
