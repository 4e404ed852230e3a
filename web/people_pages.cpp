#include "web/cluster_pages_tasks.hpp"

#include <array>
#include <memory>
#include <string>
#include <utility>

#include "pages/page.hpp"
#include "pages/table.hpp"
#include "web/cluster_page_content.hpp"

namespace stoker {

namespace {

/// Scripts and styles of this server alone, no frames around it, and no word to others of
/// what was read here.
constexpr std::array<std::pair<const char*, const char*>, 3> page_fields{
    {{"Content-Security-Policy",
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src "
      "'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; "
      "frame-ancestors 'none'"},
     {"X-Frame-Options", "DENY"},
     {"Referrer-Policy", "no-referrer"}}};

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
  self->request(self->state.config.master, pages_patience, *question)
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

PageSources sources_of(const ClusterPagesState& state) {
  return {state.copy, state.events, state.shares};
}

void ask_for_page(PagesSelf self, const std::string& target) {
  auto& page = self->state.open_pages.at(target);
  auto now = self->state.clock->now();
  if (page.unanswered > 0
      || (page.asked && now - *page.asked < ask_pages_every))
    return;
  page.asked = now;
  auto questions = questions_of(page.address);
  ask_for_page(self, target, &PageAnswers::explanation, questions.explanation);
  ask_for_page(self, target, &PageAnswers::jobs, questions.jobs);
  ask_for_page(self, target, &PageAnswers::queues, questions.queues);
  ask_for_page(self, target, &PageAnswers::history, questions.history);
  ask_for_page(self, target, &PageAnswers::use, questions.use);
  ask_for_page(self, target, &PageAnswers::plan, questions.plan);
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

} // namespace stoker
