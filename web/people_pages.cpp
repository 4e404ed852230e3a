#include "web/cluster_pages_tasks.hpp"

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "actors/defaults.hpp"
#include "pages/cells.hpp"
#include "pages/links.hpp"
#include "pages/page.hpp"
#include "pages/sentence.hpp"
#include "pages/table.hpp"
#include "web/cluster_page_content.hpp"
#include "web/html_answers.hpp"
#include "web/page_query.hpp"
#include "web/page_questions.hpp"

namespace stoker {

namespace {

/// Of so many pages it is kept what they showed last.
constexpr std::size_t kept_pages_max = 1000;

/// What is not there.
struct Missing {
  /// As "application app-1".
  std::string what;

  /// By which the history knows it; empty: that has none.
  std::string id;
};

struct MissingOf {
  Missing operator()(const WorkerPage& x) const {
    return {"worker " + x.id.value, {}};
  }
  Missing operator()(const ApplicationPage& x) const {
    return {"application " + x.id.value, x.id.value};
  }
  Missing operator()(const ExecutorPage& x) const {
    return {"executor " + to_string(x.id), to_string(x.id)};
  }
  Missing operator()(const DriverPage& x) const {
    return {"driver " + x.id.value, x.id.value};
  }
  Missing operator()(const JobPage& x) const {
    return {"job " + to_string(x.id) + " of application " + x.app_id.value,
            x.app_id.value};
  }
  template <class Other>
  Missing operator()(const Other&) const {
    return {"it", {}};
  }
};

HttpResponse missing_page(const PageAddress& address,
                          const pages::Frame& frame) {
  auto missing = std::visit(MissingOf{}, address);
  return sentence_answer(404, "Not there", missing_sentence(address), frame,
                         missing.id.empty() ? std::vector<pages::Fact>{}
                                            : links_to_history(missing.id));
}

/// Made anew when there is news; of more pages than are read at once, each time.
std::optional<pages::Page> content_of(const ClusterPagesState& state,
                                      ClusterPagesState::OpenPage& page) {
  auto begin = Freshness::Clock::now();
  if (page.content
      && page.freshness->lasts(state.news, state.news_told, begin,
                               state.config.of_use_factor))
    return page.content;
  auto result = page_content(page.address, sources_of(state), page.answers,
                             state.clock->now());
  page.freshness.emplace(state.news, begin, Freshness::Clock::now());
  page.content
      = state.open_pages.size() <= kept_pages_max ? result : std::nullopt;
  return result;
}

HttpResponse people_page(PagesSelf self, const AnswerPage& x,
                         ClusterPagesState::OpenPage& page) {
  const auto& state = self->state;
  auto frame = frame_of(state, x);
  if (!leads(state))
    return sentence_answer(503, "This master stands by",
                           pages::sentence(standby_reason(state))
                               + " It knows of nothing until it leads. Where "
                                 "another one does, the pages of that one show "
                                 "the cluster.",
                           frame);
  auto content = content_of(state, page);
  if (!content)
    return missing_page(page.address, frame);
  // Below what it is.
  if (auto section = kill_section(state, page.address, *x.user))
    content->sections.insert(content->sections.begin() + 1,
                             *std::move(section));
  return html_answer(content->is_refusal ? 400 : 200, *content, frame);
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
  page.content.reset();
  self->state.has_news = true;
  if (--page.unanswered > 0)
    return;
  for (const auto& x : std::exchange(page.waiting, {}))
    x.reply->answer(people_page(self, x, page));
}

/// Without an answer the last one counts.
template <class Answer, class Question>
void ask_for_page(PagesSelf self, const std::string& target,
                  std::optional<Answer> PageAnswers::*where,
                  const std::optional<Question>& question,
                  std::chrono::milliseconds patience = pages_patience) {
  if (!question)
    return;
  ++self->state.open_pages.at(target).unanswered;
  self->request(self->state.config.master, patience, *question)
      .then(
          [=](const Answer& x) {
            take_answer(self, target, where, std::optional<Answer>{x});
          },
          [=](const caf::error&) {
            take_answer(self, target, where, std::optional<Answer>{});
          });
}

/// Forgets what was asked for pages that nobody reads any more.
void forget_unread_pages(ClusterPagesState& state) {
  auto now = state.clock->now();
  std::erase_if(state.open_pages, [&](const auto& x) {
    const auto& [target, page] = x;
    return page.unanswered == 0 && page.waiting.empty()
           && !state.live.topics().contains(target)
           && (!page.asked || now - *page.asked >= ask_pages_every);
  });
}

} // namespace

std::string missing_sentence(const PageAddress& address) {
  return "The master does not know " + std::visit(MissingOf{}, address).what
         + ", or not any more: what has ended is forgotten after a while.";
}

std::string target_of(const HttpRequest& x) {
  return x.query.empty() ? x.path : x.path + '?' + x.query;
}

pages::Frame frame_of(const ClusterPagesState& state, const HttpRequest& x) {
  pages::Frame result;
  result.path = x.path;
  if (const auto& observation = state.copy.observation())
    result.status = observation->status;
  result.now_ms = to_ms(state.clock->now());
  return result;
}

pages::Frame frame_of(const ClusterPagesState& state, const AnswerPage& x) {
  auto result = frame_of(state, x.request);
  if (x.user) {
    result.master_url = state.config.master_url;
    result.user = x.user->name;
    result.has_session = x.user->by == KnownBy::session;
  }
  return result;
}

std::vector<pages::Fact> links_to_history(const std::string& id) {
  return {{"What has ended is kept for longer in the",
           pages::link_to("history", pages::href_of_history(id))}};
}

PageSources sources_of(const ClusterPagesState& state) {
  return {state.copy, state.events, state.shares,
          state.config.proxy != nullptr};
}

void ask_for_page(PagesSelf self, const std::string& target) {
  auto& page = self->state.open_pages.at(target);
  auto now = self->state.clock->now();
  if (page.unanswered > 0
      || (page.asked && now - *page.asked < ask_pages_every))
    return;
  page.asked = now;
  page.changes = self->state.changes;
  auto questions = questions_of(page.address, now);
  ask_for_page(self, target, &PageAnswers::explanation, questions.explanation);
  ask_for_page(self, target, &PageAnswers::jobs, questions.jobs);
  ask_for_page(self, target, &PageAnswers::queues, questions.queues);
  ask_for_page(self, target, &PageAnswers::history, questions.history);
  ask_for_page(self, target, &PageAnswers::use, questions.use);
  ask_for_page(self, target, &PageAnswers::plan, questions.plan,
               defaults::plan_answer_timeout);
}

void refresh_page(PagesSelf self, const std::string& target) {
  const auto& page = self->state.open_pages.at(target);
  auto is_old
      = !page.asked
        || self->state.clock->now() - *page.asked >= refresh_pages_every;
  // A history is read from a file, and most changes end nothing.
  auto is_read_seldom = std::holds_alternative<HistoryPage>(page.address);
  if (is_old || (page.changes != self->state.changes && !is_read_seldom))
    ask_for_page(self, target);
}

void answer_people(PagesSelf self, const AnswerPage& x) {
  auto target = target_of(x.request);
  auto address = parse_page_address(target);
  if (!address)
    return x.reply->answer(sentence_answer(
        404, "Not there",
        "There is no page " + x.request.path + ". The links above lead to all.",
        frame_of(self->state, x)));
  if (auto problem = query_problem(target, *address); !problem.empty())
    return x.reply->answer(page_of_problem(
        http_problem(400, problem), frame_of(self->state, x),
        {{"Without that", pages::link_to(x.request.path, x.request.path)}}));
  forget_unread_pages(self->state);
  auto& page = self->state.open_pages[target];
  page.address = *address;
  if (leads(self->state))
    ask_for_page(self, target);
  if (page.unanswered > 0)
    return page.waiting.push_back(x);
  x.reply->answer(people_page(self, x, page));
}

} // namespace stoker
