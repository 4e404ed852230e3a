#include "web/cluster_pages.hpp"

#include <array>
#include <iterator>
#include <string_view>
#include <utility>

#include <boost/json/serialize.hpp>

#include "actors/failure.hpp"
#include "metrics/open_metrics.hpp"
#include "pages/page.hpp"
#include "pages/table.hpp"
#include "web/cluster_metrics.hpp"
#include "web/cluster_page_content.hpp"
#include "web/output_follower.hpp"
#include "web/spark_state.hpp"

namespace stoker {

namespace {

using PagesSelf = ClusterPagesActor::stateful_pointer<ClusterPagesState>;

constexpr std::chrono::milliseconds ask_every{1000};

/// A master that is busy for longer is not waited for.
constexpr std::chrono::milliseconds answer_patience{1000};

/// What it said is shown for so long while it is asked again.
constexpr std::chrono::milliseconds observation_max_age{5000};

/// How often pages that somebody follows may change, and how often a reader hears that his
/// master is there.
constexpr std::chrono::milliseconds show_every{500};
constexpr std::chrono::milliseconds show_status_every{10'000};

/// Characters of a page's path and query.
constexpr std::size_t target_max = 1000;

/// Scripts and styles of this server alone, no frames around it, and no word to others of
/// what was read here.
constexpr std::array<std::pair<const char*, const char*>, 3> page_fields{
    {{"Content-Security-Policy",
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src "
      "'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; "
      "frame-ancestors 'none'"},
     {"X-Frame-Options", "DENY"},
     {"Referrer-Policy", "no-referrer"}}};

constexpr std::string_view json_path = "/json/";
constexpr std::string_view live_path = "/live";
constexpr std::string_view metrics_path = "/metrics";
constexpr std::string_view alive_path = "/healthz";
constexpr std::string_view ready_path = "/readyz";

void ask_master(PagesSelf self);

void note_news(ClusterPagesState& state) {
  state.texts.clear();
  state.has_news = true;
}

void look_at_shares(PagesSelf self) {
  self->state.will_look = false;
  self->state.shares.look(self->state.copy, self->state.clock->now());
}

void take_update(PagesSelf self, const FeedUpdate& x) {
  auto& state = self->state;
  auto now = state.clock->now();
  if (x.snapshot)
    state.events.begin(*x.snapshot);
  state.copy.follow(x, [&](const Change& change) {
    state.events.note(change, state.copy, now);
  });
  if (!std::exchange(state.will_look, true))
    self->delayed_send(self, state.shares.wait(now), LookAtShares{});
  note_news(state);
}

PageSources sources_of(const ClusterPagesState& state) {
  return {state.copy, state.events, state.shares};
}

void follow(PagesSelf self) {
  auto& state = self->state;
  self->request(state.config.feed, caf::infinite,
                FollowChanges{state.copy.position()})
      .then(
          [self](const FeedUpdate& x) {
            take_update(self, x);
            follow(self);
          },
          // The master has ended, and its feed with it.
          [self](const caf::error&) { self->quit(); });
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

std::shared_ptr<const std::string> text_of(PagesSelf self,
                                           const std::string& field) {
  auto& state = self->state;
  if (auto found = state.texts.find(field); found != state.texts.end())
    return found->second;
  auto page = spark_state_part(
      spark_state(state.copy, state.config.url, state.clock->now()), field);
  auto result
      = std::make_shared<const std::string>(boost::json::serialize(page));
  state.texts.emplace(field, result);
  return result;
}

HttpResponse state_page(PagesSelf self, const HttpRequest& x) {
  HttpResponse result;
  // Spark's own.
  result.content_type = "text/json;charset=utf-8";
  result.body = text_of(self, field_of(x));
  return result;
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

// -- pages for people ---------------------------------------------------------

/// As "/workers?page=2".
std::string target_of(const HttpRequest& x) {
  return x.query.empty() ? x.path : x.path + '?' + x.query;
}

HttpResponse html_response(PagesSelf self, unsigned status,
                           const std::string& path, const pages::Page& page) {
  const auto& state = self->state;
  pages::Frame frame;
  frame.path = path;
  frame.master_url = state.config.url;
  frame.status = state.copy.observation()->status;
  frame.now_ms = to_ms(state.clock->now());
  HttpResponse result;
  result.status = status;
  result.content_type = "text/html;charset=utf-8";
  result.body = std::make_shared<const std::string>(html(page, frame));
  for (const auto& [name, value] : page_fields)
    result.fields.emplace_back(name, value);
  return result;
}

/// A page that says one sentence.
HttpResponse sentence_page(PagesSelf self, unsigned status,
                           const HttpRequest& x, const std::string& title,
                           const std::string& sentence) {
  pages::Page page{title, {}, false};
  page.sections.push_back({"sentence", pages::sentences_html("", {sentence})});
  return html_response(self, status, x.path, page);
}

bool leads(const ClusterPagesState& state) {
  const auto& x = state.copy.observation();
  return x && x->status != RecoveryState::STANDBY;
}

HttpResponse people_page(PagesSelf self, const HttpRequest& x,
                         const PageAddress& address,
                         const PageAnswers& answers) {
  const auto& state = self->state;
  if (!leads(state))
    return sentence_page(self, 503, x, "This master stands by",
                         "It knows of nothing while another master leads. The "
                         "pages of that one show the cluster.");
  auto content
      = page_content(address, sources_of(state), answers, state.clock->now());
  if (!content)
    return sentence_page(self, 404, x, "Not there",
                         "The master does not know it, or not any more: what "
                         "has ended is forgotten after a while.");
  return html_response(self, 200, x.path, *content);
}

template <class Answer>
void take_answer(PagesSelf self, const std::string& target,
                 std::optional<Answer> PageAnswers::*where,
                 std::optional<Answer> answer) {
  auto found = self->state.open_pages.find(target);
  if (found == self->state.open_pages.end())
    return;
  auto& page = found->second;
  if (answer)
    page.answers.*where = std::move(answer);
  self->state.has_news = true;
  if (--page.unanswered > 0)
    return;
  for (const auto& x : std::exchange(page.waiting, {}))
    x.reply->answer(people_page(self, x.request, page.address, page.answers));
}

/// Without an answer the last one counts.
template <class Answer, class Question>
void ask_for_page(PagesSelf self, const std::string& target,
                  std::optional<Answer> PageAnswers::*where,
                  const std::optional<Question>& question) {
  if (!question)
    return;
  ++self->state.open_pages.at(target).unanswered;
  self->request(self->state.config.master, answer_patience, *question)
      .then(
          [=](const Answer& x) {
            take_answer(self, target, where, std::optional<Answer>{x});
          },
          [=](const caf::error&) {
            take_answer(self, target, where, std::optional<Answer>{});
          });
}

/// Asks the master what the page needs, unless it was asked just now.
void ask_for_page(PagesSelf self, const std::string& target) {
  auto& page = self->state.open_pages.at(target);
  auto now = self->state.clock->now();
  if (page.unanswered > 0 || (page.asked && now - *page.asked < ask_every))
    return;
  page.asked = now;
  auto questions = questions_of(page.address);
  ask_for_page(self, target, &PageAnswers::explanation, questions.explanation);
  ask_for_page(self, target, &PageAnswers::jobs, questions.jobs);
  ask_for_page(self, target, &PageAnswers::queues, questions.queues);
  ask_for_page(self, target, &PageAnswers::plan, questions.plan);
}

/// Forgets what was asked for pages that nobody reads any more.
void forget_unread_pages(ClusterPagesState& state) {
  auto now = state.clock->now();
  std::erase_if(state.open_pages, [&](const auto& x) {
    const auto& [target, page] = x;
    return page.unanswered == 0 && page.waiting.empty()
           && !state.live.topics().contains(target)
           && (!page.asked || now - *page.asked >= ask_every);
  });
}

void answer_people(PagesSelf self, const AnswerPage& x) {
  auto target = target_of(x.request);
  auto address = parse_page_address(target);
  if (!address)
    return x.reply->answer(
        sentence_page(self, 404, x.request, "Not there",
                      "There is no such page. The links above lead to all."));
  forget_unread_pages(self->state);
  auto& page = self->state.open_pages[target];
  page.address = *address;
  if (leads(self->state))
    ask_for_page(self, target);
  if (page.unanswered > 0)
    return page.waiting.push_back(x);
  x.reply->answer(people_page(self, x.request, page.address, page.answers));
}

// -- pages that change --------------------------------------------------------

void show_soon(PagesSelf self) {
  if (std::exchange(self->state.will_show, true))
    return;
  self->delayed_send(self, show_every, ShowLivePages{});
}

void show_status(ClusterPagesState& state) {
  const auto& observation = state.copy.observation();
  auto status = observation && !state.is_silent ? observation->status
                                                : RecoveryState::STANDBY;
  auto now = state.clock->now();
  state.status_shown = now;
  state.live.show_status(status, to_ms(now));
}

void answer_live(PagesSelf self, const AnswerPage& x) {
  auto& state = self->state;
  auto target = query_value('?' + x.request.query, "page");
  auto address = target ? parse_page_address(*target) : std::nullopt;
  // A plan is made when somebody asks for it, and costs the master a copy of its state.
  if (!address || std::holds_alternative<PlanPage>(*address))
    return x.reply->answer(http_problem(
        404, "there is no such page to follow: ask for /live?page=%2Fworkers"));
  if (target->size() > target_max)
    return x.reply->answer(http_problem(404, "the page's path is too long"));
  HttpResponse response;
  response.content_type = "text/event-stream";
  response.stream = std::make_shared<HttpStream>();
  state.live.add(*target, *address, response.stream);
  state.open_pages[*target].address = *address;
  state.has_news = true;
  x.reply->answer(response);
  show_status(state);
  show_soon(self);
}

void show_live_pages(PagesSelf self) {
  auto& state = self->state;
  state.will_show = false;
  state.live.forget_the_gone();
  if (state.live.empty())
    return;
  show_soon(self);
  auto now = state.clock->now();
  if (!state.is_asking && (!state.asked || now - *state.asked >= ask_every))
    ask_master(self);
  if (!state.status_shown || now - *state.status_shown >= show_status_every)
    show_status(state);
  if (!leads(state))
    return;
  for (const auto& [target, topic] : state.live.topics())
    ask_for_page(self, target);
  if (!std::exchange(state.has_news, false))
    return;
  for (const auto& [target, topic] : state.live.topics())
    // Durations are the reader's own matter, or all would change all the time.
    if (auto page = page_content(topic.address, sources_of(state),
                                 state.open_pages[target].answers, Instant{}))
      state.live.show(target, *page);
}

// -- what is asked ------------------------------------------------------------

HttpResponse page(PagesSelf self, const HttpRequest& x) {
  const auto& observation = self->state.copy.observation();
  if (x.path.starts_with(metrics_path))
    return metrics_page(self, x);
  if (x.path == alive_path)
    return health_page(200, observation->status);
  if (x.path == ready_path)
    return health_page(observation->status == RecoveryState::ALIVE ? 200 : 503,
                       observation->status);
  return state_page(self, x);
}

bool is_for_programs(const HttpRequest& x) {
  return x.path.starts_with(metrics_path) || x.path.starts_with(json_path)
         || is_of_health(x);
}

void answer(PagesSelf self, const AnswerPage& x) {
  const auto& state = self->state;
  if (!state.copy.observation() || (state.is_silent && is_of_health(x.request)))
    return x.reply->answer(http_problem(503, "the master does not answer"));
  if (x.request.path == live_path)
    return answer_live(self, x);
  if (!is_for_programs(x.request))
    return answer_people(self, x);
  x.reply->answer(page(self, x.request));
}

void answer_waiting(PagesSelf self) {
  for (const auto& x : std::exchange(self->state.waiting, {}))
    answer(self, x);
}

void ask_master(PagesSelf self) {
  auto& state = self->state;
  state.is_asking = true;
  state.asked = state.clock->now();
  RequestMasterState question;
  question.applications = question.drivers = false;
  self->request(state.config.master, answer_patience, question)
      .then(
          [self](const MasterStateResponse& x) {
            auto& s = self->state;
            s.is_asking = s.is_silent = false;
            s.copy.observe(x, s.clock->now());
            // Durations go on, too.
            note_news(s);
            answer_waiting(self);
          },
          [self](const caf::error&) {
            self->state.is_asking = false;
            self->state.is_silent = true;
            answer_waiting(self);
          });
}

/// Whether what the master said last is of use while it is asked again: who reads does not
/// wait for a master that is busy.
bool is_fresh_enough(const ClusterPagesState& state, const HttpRequest& x) {
  const auto& observation = state.copy.observation();
  return observation && !is_of_health(x)
         && state.clock->now() - observation->at < observation_max_age;
}

void hear(PagesSelf self, const AnswerPage& x) {
  auto& state = self->state;
  auto user = user_of_peer(state.config.users, x.request.here, x.request.peer,
                           "asks");
  if (!user && !is_of_health(x.request)) {
    state.refusals.warn(to_string(x.request.peer) + ": "
                        + user.error().message);
    return x.reply->answer(http_problem(403, user.error().message));
  }
  if (auto output = parse_output_request(x.request)) {
    self->spawn(output_follower,
                OutputFollowerConfig{state.config.master, *output, x.reply});
    return;
  }
  auto is_due = !state.asked || state.clock->now() - *state.asked >= ask_every;
  auto is_known = state.copy.observation() && !is_due && !state.is_asking;
  if (!is_known && !state.is_asking)
    ask_master(self);
  if (is_known || is_fresh_enough(state, x.request))
    return answer(self, x);
  state.waiting.push_back(x);
}

} // namespace

ClusterPagesActor::behavior_type cluster_pages(PagesSelf self,
                                               ClusterPagesConfig config) {
  handle_the_unexpected(self);
  self->state.config = std::move(config);
  self->state.clock.emplace(self->clock());
  follow(self);
  return {[self](const AnswerPage& x) { hear(self, x); },
          [self](ShowLivePages) { show_live_pages(self); },
          [self](LookAtShares) { look_at_shares(self); }};
}

} // namespace stoker
