#include "web/cluster_page_content.hpp"

#include <algorithm>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "pages/applications.hpp"
#include "pages/drivers.hpp"
#include "pages/events.hpp"
#include "pages/executors.hpp"
#include "pages/explanation.hpp"
#include "pages/history.hpp"
#include "pages/jobs.hpp"
#include "pages/links.hpp"
#include "pages/output.hpp"
#include "pages/plan.hpp"
#include "pages/queues.hpp"
#include "pages/workers.hpp"
#include "scheduling/planning/queue_report.hpp"
#include "storage/monthly_use.hpp"
#include "web/cluster_view.hpp"
#include "web/history_form.hpp"
#include "web/output_follower.hpp"
#include "web/page_charts.hpp"
#include "web/plan_form.hpp"
#include "web/program_link.hpp"
#include "web/queued_requests.hpp"

namespace stoker {

namespace {

using pages::Page;
using pages::Paging;

/// What the first page shows of a list.
constexpr ListPart beginning{0, 20};

/// @param page as it was asked for: there may be fewer pages by now
Paging paging(std::size_t page, std::size_t rows, std::string href) {
  Paging result{page, rows, std::move(href)};
  result.page = std::min(page, result.pages());
  return result;
}

ListPart part_of(const Paging& x) {
  return {(x.page - 1) * Paging::rows_per_page, Paging::rows_per_page};
}

/// What a part of a list has.
template <class T>
std::vector<T> slice(const std::vector<T>& all, ListPart part) {
  auto first = std::min(part.first, all.size());
  auto last = std::min(first + part.count, all.size());
  return {all.begin() + static_cast<std::ptrdiff_t>(first),
          all.begin() + static_cast<std::ptrdiff_t>(last)};
}

/// A page of a list.
template <class T>
struct ShownList {
  std::vector<T> rows;
  Paging paging;
};

/// @param find gives a part of those that are looked for
template <class Find>
auto list_of(const std::string& path, const ListAddress& x, Find find) {
  auto part_at = [](std::size_t page) { return part_of(Paging{page, 0, {}}); };
  auto found = find(part_at(x.page));
  auto href = href_of_list(path, x);
  href += href == path ? "?page=" : "&page=";
  auto pages = paging(x.page, found.in_all, href);
  // There are fewer by now.
  if (pages.page != x.page)
    found = find(part_at(pages.page));
  return ShownList<std::decay_t<decltype(found.part.front())>>{
      std::move(found.part), std::move(pages)};
}

/// Leads from what has not ended to what has, and back.
/// @param find gives a part of those that are looked for, of which it is told whether they
/// have ended
template <class Find>
std::string lists_html(const std::string& path, ListAddress x, Find find) {
  x.ended = !x.ended;
  auto text = std::to_string(find(x.ended, ListPart{}).in_all)
              + (x.ended ? " ended" : " not ended");
  return pages::html(std::vector<pages::Fact>{
      {"Show", pages::link_to(text, href_of_list(path, x))}});
}

/// Where none is found, all are not far.
std::string looked_through(const std::string& path, const ListAddress& x,
                           pages::Table table) {
  if (!x.filter.takes_all()) {
    table.empty = none_found(x.filter);
    table.href_of_all = href_of_list(path, {x.ended, 1, {}});
  }
  return html(table);
}

class Content {
public:
  Content(const PageSources& sources, const PageAnswers& answers, Instant now)
      : cluster_(sources.cluster), sources_(sources), answers_(answers),
        now_ms_(to_ms(now)) {
  }

  std::optional<Page> operator()(const ClusterPage&) const {
    auto workers = shown_workers(cluster_);
    Page result{"Cluster", {}, false};
    add(result, "figures",
        pages::figures_html(pages::facts_of(figures_of(cluster_, workers))));
    const auto& index = cluster_.index();
    auto running = pages::applications_table(
        active_applications(cluster_, beginning), {}, now_ms_);
    running.empty = "There is none. Start one with: stoker run";
    running.whole = {index.active_applications().size(), "/applications"};
    add(result, "applications", "Applications that run or wait",
        std::move(running));
    auto drivers = pages::drivers_table(active_drivers(cluster_, beginning), {},
                                        now_ms_);
    drivers.whole = {index.active_drivers().size(), "/drivers"};
    add(result, "drivers", "Drivers that run or wait", std::move(drivers));
    auto machines = pages::workers_table(slice(workers, beginning), {});
    machines.whole = {workers.size(), "/workers"};
    add(result, "workers", "Workers", std::move(machines));
    auto ended = pages::applications_table(
        ended_applications(cluster_, beginning), {}, now_ms_);
    ended.whole
        = {index.ended_applications().size(), "/applications?state=ended"};
    add(result, "ended", "Applications that ended last", std::move(ended));
    auto ended_of_drivers
        = pages::drivers_table(ended_drivers(cluster_, beginning), {}, now_ms_);
    ended_of_drivers.empty = "There is none.";
    ended_of_drivers.whole
        = {index.ended_drivers().size(), "/drivers?state=ended"};
    add(result, "ended-drivers", "Drivers that ended last",
        std::move(ended_of_drivers));
    return result;
  }

  std::optional<Page> operator()(const WorkersPage& x) const {
    auto workers = shown_workers(cluster_);
    auto list = paging(x.page, workers.size(), "/workers?page=");
    Page result{"Workers", {}, false};
    add(result, "workers",
        html(pages::workers_table(slice(workers, part_of(list)), list)));
    return result;
  }

  std::optional<Page> operator()(const WorkerPage& x) const {
    auto worker = shown_worker(cluster_, x.id);
    if (!worker)
      return std::nullopt;
    Page result{"Worker " + x.id.value, {}, false};
    add(result, "facts", pages::html(pages::facts_of(*worker)));
    add(result, "executors",
        html(pages::executors_table(executors_on(cluster_, x.id),
                                    pages::ExecutorsOf::worker, {}, now_ms_)));
    auto drivers
        = pages::drivers_table(drivers_on(cluster_, x.id), {}, now_ms_);
    drivers.empty = "None runs here.";
    add(result, "drivers", "Drivers", std::move(drivers));
    return result;
  }

  std::optional<Page> operator()(const ApplicationsPage& x) const {
    auto find = [&](bool ended, ListPart part) {
      return found_applications(cluster_, ended, x.list.filter, part);
    };
    Page result{x.list.ended ? "Applications that have ended" : "Applications",
                {},
                false};
    add(result, "lists", lists_html("/applications", x.list, find));
    to_form(result, form_of_list("/applications", x.list), {});
    auto list = list_of("/applications", x.list, [&](ListPart part) {
      return find(x.list.ended, part);
    });
    auto table = pages::applications_table(list.rows, list.paging, now_ms_);
    add(result, "applications",
        looked_through("/applications", x.list, std::move(table)));
    return result;
  }

  std::optional<Page> operator()(const ApplicationPage& x) const {
    auto app = application_of(cluster_, x.id);
    if (!app)
      return std::nullopt;
    Page result{title_of("Application", x.id.value, app->name), {}, true};
    const auto& description
        = cluster_.tables().applications().at(x.id).description;
    auto facts
        = pages::facts_of(*app, description.resources_per_executor, now_ms_);
    if (auto link
        = link_to_program(*app, description.spark_driver, sources_.has_proxy))
      facts.push_back(*std::move(link));
    add(result, "facts", pages::html(facts));
    add(result, "explanation", explanation_html());
    add(result, "chart", executors_chart(*app, first_end_kept(cluster_, x.id)));
    const auto* jobs = answers_.jobs && !answers_.jobs->applications.empty()
                           ? &answers_.jobs->applications.front()
                           : nullptr;
    add(result, "jobs",
        jobs ? html(pages::jobs_table(*jobs, now_ms_)) : std::string{});
    add(result, "stages",
        jobs ? html(pages::stages_table(*jobs, {}, now_ms_)) : std::string{});
    auto list = paging(x.page, app->executors.size(),
                       pages::href_of(x.id) + "?page=");
    auto table = pages::executors_table(slice(app->executors, part_of(list)),
                                        pages::ExecutorsOf::application, list,
                                        now_ms_);
    table.forgotten = forgotten_executors(*app);
    if (table.forgotten)
      table.empty = "None runs, or is kept.";
    add(result, "executors", html(table));
    return result;
  }

  std::optional<Page> operator()(const ExecutorPage& x) const {
    auto executor = executor_of(cluster_, x.id);
    if (!executor)
      return std::nullopt;
    Page result{"Executor " + to_string(x.id), {}, false};
    const auto& applications = cluster_.tables().applications();
    auto of = applications.find(x.id.app_id);
    add(result, "facts",
        pages::html(pages::facts_of(*executor,
                                    of == applications.end()
                                        ? ApplicationDescription{}
                                        : of->second.description,
                                    now_ms_)));
    add_output(result, x.id);
    return result;
  }

  std::optional<Page> operator()(const DriversPage& x) const {
    auto find = [&](bool ended, ListPart part) {
      return found_drivers(cluster_, ended, x.list.filter, part);
    };
    Page result{
        x.list.ended ? "Drivers that have ended" : "Drivers", {}, false};
    add(result, "lists", lists_html("/drivers", x.list, find));
    to_form(result, form_of_list("/drivers", x.list), {});
    auto list = list_of("/drivers", x.list, [&](ListPart part) {
      return find(x.list.ended, part);
    });
    auto table = pages::drivers_table(list.rows, list.paging, now_ms_);
    add(result, "drivers",
        looked_through("/drivers", x.list, std::move(table)));
    return result;
  }

  std::optional<Page> operator()(const DriverPage& x) const {
    auto driver = driver_of(cluster_, x.id);
    if (!driver)
      return std::nullopt;
    Page result{title_of("Driver", x.id.value, driver->name), {}, false};
    add(result, "facts", pages::html(pages::facts_of(*driver, now_ms_)));
    add(result, "explanation", explanation_html());
    add_output(result, x.id);
    return result;
  }

  std::optional<Page> operator()(const QueuesPage&) const {
    Page result{"Queues", {}, true};
    const auto& x = answers_.queues;
    const auto* tenants = x && x->tenants ? &*x->tenants : nullptr;
    add(result, "room",
        pages::sentences_html("", {room_sentence(x ? *x : QueuesResponse{})}));
    add(result, "companies",
        tenants ? html(pages::companies_table(*tenants)) : std::string{});
    add(result, "shares", shares_chart(sources_.shares));
    add(result, "served", x ? html(pages::served_table(*x)) : std::string{});
    add(result, "queued",
        tenants ? html(pages::queued_table(
            *x, requests_of(cluster_.tables(), x->queued), now_ms_))
                : std::string{});
    return result;
  }

  std::optional<Page> operator()(const JobsPage&) const {
    Page result{"Jobs", {}, false};
    add(result, "jobs",
        answers_.jobs ? html(pages::all_jobs_table(*answers_.jobs, now_ms_))
                      : std::string{});
    return result;
  }

  std::optional<Page> operator()(const JobPage& x) const {
    // Its driver may have ended, and is forgotten.
    if (!answers_.jobs || answers_.jobs->applications.empty())
      return std::nullopt;
    const auto& app = answers_.jobs->applications.front();
    auto job
        = std::find_if(app.jobs.begin(), app.jobs.end(),
                       [&](const JobInfo& known) { return known.id == x.id; });
    if (job == app.jobs.end())
      return std::nullopt;
    Page result{
        title_of("Job " + to_string(x.id) + " of", x.app_id.value, app.name),
        {},
        false};
    add(result, "facts", pages::html(pages::facts_of(app, *job, now_ms_)));
    // Of one that has ended it stands there empty, so that it is seen to go.
    add(result, "explanation",
        job->ended_ms ? std::string{} : explanation_html());
    add(result, "stages", html(pages::stages_table(app, x.id, now_ms_)));
    return result;
  }

  std::optional<Page> operator()(const HistoryPage& x) const {
    Page result{"History", {}, false};
    auto request = history_request(x.form, from_ms(now_ms_));
    to_form(result, form_of(x.form),
            request ? std::string{} : request.error().message);
    if (!request)
      return result;
    const auto& found = answers_.history;
    if (!found) {
      add(result, "entries",
          pages::sentences_html("", {"There is no history: this master "
                                     "keeps none, or does not answer."}));
      return result;
    }
    if (!x.form.after.empty())
      add_once(result, "first",
               pages::html(std::vector<pages::Fact>{
                   {"These ended earlier",
                    pages::link_to("Go back to what ended last",
                                   href_of_part(x.form, {}))}}));
    auto table = pages::history_table(
        *found,
        found->next ? href_of_part(x.form, *found->next) : std::string{});
    if (!x.form.after.empty())
      table.first = href_of_part(x.form, {});
    const auto all = href_of_part({}, {});
    if (href_of_part(x.form, {}) != all) {
      table.empty = "Nothing that was looked for has ended, or it is not kept "
                    "any more.";
      table.href_of_all = all;
    }
    add(result, "entries", html(table));
    if (found->kept_since_ms)
      add(result, "kept",
          pages::html(std::vector<pages::Fact>{
              {"Removed is what ended before (UTC)",
               pages::typed_utc_time(*found->kept_since_ms)}}));
    if (answers_.use) {
      auto months = pages::use_table(by_company(*answers_.use));
      auto notes = notes_on_use(x.form, use_request(*request));
      if (!notes.empty())
        months.empty = "Nothing of that has been used.";
      add(result, "months",
          html(months)
              + (notes.empty() ? "" : pages::sentences_html("", notes)));
    }
    return result;
  }

  std::optional<Page> operator()(const EventsPage& x) const {
    std::vector<const LoggedEvent*> found;
    const auto& events = sources_.events.events();
    for (auto i = events.rbegin(); i != events.rend(); ++i)
      if (x.of.empty() || names(*i, x.of))
        found.push_back(&*i);
    auto list
        = paging(x.page, found.size(), pages::href_of_events(x.of) + "&page=");
    std::vector<pages::EventRow> rows;
    for (const auto* event : slice(found, part_of(list)))
      rows.push_back({event->number, to_ms(event->at), event->line.event,
                      event->line.fields, event->decision,
                      event->line.is_warning});
    Page result{"Events", {}, false};
    to_form(result,
            {"/events",
             "Show",
             {{"Only those that name",
               {{"of", "Application, worker or driver", x.of, "app-..."}}}}},
            {});
    auto table = pages::events_table(rows, list);
    if (!x.of.empty()) {
      table.empty = "Nothing that names it has happened since this master "
                    "began to look.";
      table.href_of_all = "/events";
    }
    add(result, "events", html(table));
    return result;
  }

  std::optional<Page> operator()(const PlanPage& x) const {
    Page result{"What would happen if", {}, false};
    auto request = plan_request(x.form);
    const auto& plan = answers_.plan;
    std::string problem;
    if (!request)
      problem = request.error().message;
    else if (plan && *request)
      problem = plan->problem;
    to_form(result, form_of(x.form), problem);
    if (problem.empty() && *request)
      add_once(result, "asked",
               pages::sentences_html("If", pages::assumptions(**request)));
    if (!problem.empty() || !plan)
      return result;
    pages::IsThere is_there{[this](const AppId& id) {
                              return cluster_.tables().applications().contains(
                                  id);
                            },
                            [this](const WorkerId& id) {
                              return cluster_.tables().workers().contains(id);
                            },
                            [this](const DriverId& id) {
                              return cluster_.tables().drivers().contains(id);
                            }};
    add_once(result, "starts", html(pages::starts_table(*plan, is_there)));
    add_once(result, "drivers",
             html(pages::driver_outcomes_table(*plan, is_there)));
    add_once(result, "outcomes", html(pages::outcomes_table(*plan, is_there)));
    add_once(result, "afterwards",
             pages::sentences_html("", {pages::afterwards(*plan)}));
    return result;
  }

private:
  /// "Application app-1: sleeper"
  static std::string title_of(const std::string& kind, const std::string& id,
                              const std::string& name) {
    return kind + ' ' + id + (name.empty() ? "" : ": " + name);
  }

  /// What is filled in stays as the reader leaves it.
  /// @param problem why it is of no use; empty: it is
  static void to_form(Page& to, pages::Form form, const std::string& problem) {
    mark_problem(form, problem);
    to.sections.push_back({"form", html(form), false});
    to.is_refusal = !problem.empty();
    if (to.is_refusal)
      to.sections.push_back({"problem", pages::problem_html(problem), false});
  }

  /// It is as it was when it was asked for.
  static void add_once(Page& to, const char* id, std::string html) {
    to.sections.push_back({id, std::move(html), false});
  }

  static void add(Page& to, const char* id, std::string html) {
    to.sections.push_back({id, std::move(html)});
  }

  static void add(Page& to, const char* id, const char* title,
                  pages::Table table) {
    table.title = title;
    add(to, id, html(table));
  }

  /// Its end, which the page follows by itself.
  static void add_output(Page& to, const ProgramId& program) {
    add(to, "stdout",
        pages::output_html("Standard output", output_path(program, false)));
    add(to, "stderr",
        pages::output_html("Standard error", output_path(program, true)));
  }

  /// Nothing, as long as nothing is known.
  [[nodiscard]] std::string explanation_html() const {
    const auto& x = answers_.explanation;
    return x && x->found ? pages::sentences_html("Why", pages::sentences_of(*x))
                         : std::string{};
  }

  const ClusterCopy& cluster_;
  const PageSources& sources_;
  const PageAnswers& answers_;
  std::int64_t now_ms_;
};

} // namespace

std::optional<Page> page_content(const PageAddress& address,
                                 const PageSources& sources,
                                 const PageAnswers& answers, Instant now) {
  return std::visit(Content{sources, answers, now}, address);
}

} // namespace stoker
