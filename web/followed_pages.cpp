#include "web/cluster_pages_tasks.hpp"

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "web/cluster_page_content.hpp"
#include "web/page_query.hpp"
#include "web/url.hpp"

namespace stoker {

namespace {

/// How often pages that somebody follows may change, and how often a reader hears that his
/// master is there.
constexpr std::chrono::milliseconds show_every{500};
constexpr std::chrono::milliseconds show_status_every{10'000};

/// Characters of a page's path and query.
constexpr std::size_t target_max = 1000;

void show_status(ClusterPagesState& state) {
  const auto& observation = state.copy.observation();
  auto status = observation && !state.is_silent
                    ? std::optional{observation->status}
                    : std::nullopt;
  auto now = state.clock->now();
  state.status_shown = now;
  state.live.show_status(status, to_ms(now));
}

/// Whether the master has said what it knows of a page. Its tables have all but jobs.
bool is_answered(const ClusterPagesState::OpenPage& x) {
  return !std::holds_alternative<JobPage>(x.address) || x.answers.jobs;
}

bool is_of_history(const ClusterPagesState::OpenPage& x) {
  return std::holds_alternative<HistoryPage>(x.address);
}

/// Whether nothing is known yet of what the page is about.
bool is_awaited(const ClusterPagesState::OpenPage& x) {
  return is_of_history(x) && !x.answers.history && x.unanswered > 0;
}

} // namespace

void show_soon(PagesSelf self) {
  if (std::exchange(self->state.will_show, true))
    return;
  self->delayed_send(self, show_every, ShowLivePages{});
}

void show_more_events(PagesSelf self, const HttpStream& to) {
  auto& state = self->state;
  if (!stands_by(state))
    state.event_readers.show_to(to, state.events);
}

void answer_live(PagesSelf self, const AnswerPage& x) {
  auto& state = self->state;
  auto target = query_value('?' + x.request.query, "page");
  auto address = target ? parse_page_address(*target) : std::nullopt;
  // A plan is made when somebody asks for it, and costs the master a copy of its state.
  if (!address || !query_problem(*target, *address).empty()
      || std::holds_alternative<PlanPage>(*address))
    return x.reply->answer(http_problem(
        404, "there is no such page to follow: ask for /live?page=%2Fworkers"));
  if (target->size() > target_max)
    return x.reply->answer(http_problem(404, "the page's path is too long"));
  HttpResponse response;
  response.content_type = "text/event-stream";
  response.stream = std::make_shared<HttpStream>();
  auto frame = frame_of(state, x);
  state.live.add(*target, *address, response.stream,
                 {frame.user, frame.has_session});
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
  if (stands_by(state))
    state.event_readers.end_all();
  else
    state.event_readers.show(state.events);
  if (state.live.empty() && state.event_readers.empty())
    return;
  show_soon(self);
  auto now = state.clock->now();
  if (!state.is_asking
      && (!state.asked || now - *state.asked >= ask_pages_every))
    ask_master(self);
  if (!state.status_shown || now - *state.status_shown >= show_status_every) {
    show_status(state);
    state.event_readers.keep_alive();
  }
  if (!leads(state))
    return;
  for (const auto& [target, topic] : state.live.topics())
    refresh_page(self, target);
  if (!std::exchange(state.has_news, false))
    return;
  for (const auto& [target, topic] : state.live.topics()) {
    const auto& open = state.open_pages[target];
    if (is_awaited(open))
      continue;
    // Durations are the reader's own matter, or all would change all the time. Of a history
    // none goes on, and what it is asked for may be "yesterday".
    auto shown_at = is_of_history(open) ? now : Instant{};
    if (auto page = page_content(topic.address, sources_of(state), open.answers,
                                 shown_at))
      state.live.show(target, *page);
    else if (is_answered(open))
      state.live.show_missing(target, missing_sentence(topic.address));
  }
}

} // namespace stoker
