// stoker wait: until applications and drivers have ended.

#include <algorithm>
#include <chrono>
#include <iostream>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "messages/history.hpp"
#include "messages/states.hpp"
#include "scheduling/common/entity_id.hpp"
#include "tools/stoker/commands.hpp"
#include "tools/stoker/history_question.hpp"
#include "tools/stoker/json_output.hpp"
#include "tools/stoker/notice.hpp"
#include "tools/stoker/options.hpp"
#include "tools/stoker/wait_outcome.hpp"

namespace stoker {

namespace {

using WaitClock = std::chrono::steady_clock;

struct WaitOptions {
  AccessOptions access;
  std::vector<std::string> ids;
  /// Zero: it looks once.
  std::optional<Duration> timeout;
  bool quiet = false;
  bool json = false;
};

RequestEnds question_about(const std::vector<std::string>& ids) {
  RequestEnds result;
  for (const auto& text : ids) {
    auto id = parse_entity_id(text);
    if (id && std::holds_alternative<AppId>(*id))
      result.apps.push_back(std::get<AppId>(*id));
    else if (id && std::holds_alternative<DriverId>(*id)
             && text.find('/') == std::string::npos)
      result.drivers.push_back(std::get<DriverId>(*id));
    else
      throw CommandError{exit_usage,
                         "'" + text
                             + "' is the id of no application or driver; "
                               "'stoker status' shows them"};
  }
  return result;
}

/// A machine that is busy may need so long for a connection and an answer: less is no time in
/// which anything could be known.
constexpr std::chrono::seconds one_look{1};

/// Asks until all have ended, or until the time is up.
class Waiting {
public:
  Waiting(Access& access, std::optional<Duration> timeout) : access_(access) {
    if (timeout)
      deadline_ = WaitClock::now() + *timeout;
    // Who only looks waits for no end, but for a master as others do.
    if (timeout && *timeout > Duration{})
      access_.give_up_at(std::max(*deadline_, WaitClock::now() + one_look));
  }

  /// @returns How each of them has ended, or what it does, or did when a master last
  /// answered.
  std::vector<ProgramEnd> wait_for(const std::vector<std::string>& ids) {
    auto question = question_about(ids);
    std::vector<ProgramEnd> ends;
    while (true) {
      auto answer = access_.try_ask<EndsResponse>(question);
      auto left = time_left();
      if (answer)
        ends = std::move(answer->ends);
      else if (ends.empty() || left > Duration{})
        throw CommandError{answer.error()};
      auto open = std::any_of(ends.begin(), ends.end(), [](const auto& x) {
        return x.state && !x.ended;
      });
      if (!open || left == Duration{})
        return ends;
      question.wait_ms = time_to_wait(left).count();
    }
  }

private:
  /// Until the deadline, and until a master answers at the latest.
  [[nodiscard]] Duration time_left() const {
    Duration longest{longest_following_ms};
    if (!deadline_)
      return longest;
    auto left = std::chrono::ceil<Duration>(*deadline_ - WaitClock::now());
    return std::clamp(left, Duration{}, longest);
  }

  /// How long the next answer may wait. The last one but one comes some time before the
  /// last: where that does not come in time, what is told is not old.
  static Duration time_to_wait(Duration left) {
    constexpr Duration before{500};
    auto is_last = left < Duration{longest_following_ms};
    return is_last && left > 2 * before ? left - before : left;
  }

  Access& access_;
  std::optional<WaitClock::time_point> deadline_;
};

/// Of an application, or of a driver. Nothing: a master need not keep a history.
std::vector<HistoryEntry> in_history(Access& access, const std::string& id,
                                     std::vector<HistoryKind> kinds) {
  HistoryFilter filter;
  filter.id = id;
  auto question = question_about_id(filter);
  question.kinds = std::move(kinds);
  question.rows_max = history_rows_max;
  auto answer = access.try_ask<HistoryResponse>(question);
  if (!answer && answer.error().code == Errc::not_found)
    return {};
  if (!answer)
    throw CommandError{answer.error()};
  return std::move(answer->entries);
}

/// Its state is unset where the history has nothing of it.
ProgramEnd forgotten_end(Access& access, const std::string& id) {
  ProgramEnd result;
  result.id = id;
  auto found
      = in_history(access, id, {HistoryKind::application, HistoryKind::driver});
  if (found.empty())
    return result;
  result = end_in_history(found.front());
  if (found.front().kind == HistoryKind::application
      && result.state == to_string(ApplicationState::FAILED))
    result.exit_status
        = first_failure(in_history(access, id, {HistoryKind::executor}));
  return result;
}

/// A master forgets what has ended when more has; its history does later. Of what was
/// relaunched, the last one that was started in its place says how it ended.
void look_in_history(Access& access, Waiting& waiting, ProgramEnd& x) {
  const auto asked = x.id;
  auto id = asked;
  while (true) {
    auto end = forgotten_end(access, id);
    if (!end.state)
      break;
    auto successor = std::exchange(end.relaunched_as, std::nullopt);
    if (id != asked)
      end.relaunched_as = DriverId{id};
    x = std::move(end);
    if (!successor)
      break;
    auto known = waiting.wait_for({successor->value}).front();
    if (known.state) {
      x = std::move(known);
      if (!x.relaunched_as)
        x.relaunched_as = successor;
      break;
    }
    id = successor->value;
  }
  x.id = asked;
}

/// Each once, in the order in which they came.
std::vector<std::string> different(const std::vector<std::string>& ids) {
  std::vector<std::string> result;
  for (const auto& id : ids)
    if (std::find(result.begin(), result.end(), id) == result.end())
      result.push_back(id);
  return result;
}

int run_wait(const WaitOptions& options) {
  auto ids = different(options.ids);
  // A wrong one is found before anything is waited for.
  question_about(ids);
  Access access{options.access};
  Waiting waiting{access, options.timeout};
  std::map<std::string, ProgramEnd> by_id;
  for (std::size_t i = 0; i < ids.size(); i += ends_asked_max) {
    auto end = std::min(ids.size(), i + ends_asked_max);
    for (auto& x :
         waiting.wait_for({ids.begin() + static_cast<std::ptrdiff_t>(i),
                           ids.begin() + static_cast<std::ptrdiff_t>(end)}))
      by_id[x.id] = std::move(x);
  }
  for (auto& [id, end] : by_id)
    if (!end.state)
      look_in_history(access, waiting, end);
  std::vector<ProgramEnd> ends;
  for (const auto& id : ids)
    ends.push_back(by_id.at(id));
  for (const auto& x : ends)
    if (options.json)
      print_json(std::cout, with_exit_status(x));
    else if (!options.quiet && x.state)
      std::cout << line_of(x) << std::endl;
  auto outcome = outcome_of(ends);
  if (!outcome.error.empty())
    throw CommandError{outcome.exit_status, outcome.error};
  return outcome.exit_status;
}

} // namespace

void add_wait_command(CLI::App& app, CommandContext& context) {
  auto options = std::make_shared<WaitOptions>();
  auto* command = app.add_subcommand(
      "wait", "Wait until applications and drivers have ended");
  command->footer(
      "It ends with 0 when all have ended well; else with the exit code of the "
      "command\nthat failed, of the first ID of which one did, or with 1; with "
      "124 when\n--timeout is over. A driver that goes on elsewhere after the "
      "loss of its worker\nis waited for there. What the "
      "master has\nforgotten is looked for in its history.\n\n"
      "Examples:\n"
      "  ID=$(stoker submit -- ./nightly.sh); stoker wait \"$ID\"\n"
      "  stoker wait app-20261121074600-0001 driver-20261121074600-0001\n"
      "  stoker wait --timeout 10min --quiet \"$ID\" && ./publish.sh");
  command
      ->add_option("ID", options->ids,
                   "Applications and drivers, as 'stoker status' shows them")
      ->required();
  add_duration_option(
      *command, "--timeout", options->timeout,
      "Wait for so long at most; 0 looks once (default: without end)");
  command->add_flag("--quiet,-q", options->quiet,
                    "Do not print how each has ended");
  command->add_flag("--json", options->json,
                    "How each has ended, one JSON object a line");
  // A script that waits continues when a master is started again.
  options->access.needs_listener = false;
  add_access_options(*command, options->access);
  command->callback([=, &context] { context.exit_code = run_wait(*options); });
}

} // namespace stoker
