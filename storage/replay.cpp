#include "storage/replay.hpp"

#include <algorithm>
#include <cstdio>
#include <stdexcept>

#include "scheduling/master/render.hpp"

namespace stoker {

namespace {

std::optional<ReplayDifference> compare(const LoggedStep& step,
                                        const StepResult& result) {
  auto effects = to_lines(result);
  auto count = std::max(effects.size(), step.effects.size());
  for (std::size_t i = 0; i < count; ++i) {
    std::string then = i < step.effects.size() ? step.effects[i] : "nothing";
    auto now = i < effects.size() ? effects[i] : "nothing";
    if (then != now)
      return ReplayDifference{step.number, step.at, to_string(step.event),
                              std::move(then), std::move(now)};
  }
  return std::nullopt;
}

} // namespace

std::string utc_time(Instant x) {
  auto day = std::chrono::floor<std::chrono::days>(x);
  std::chrono::year_month_day date{day};
  std::chrono::hh_mm_ss time{x - day};
  char text[64];
  std::snprintf(
      text, sizeof(text), "%04d-%02u-%02u %02d:%02d:%02d.%03d",
      static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
      static_cast<unsigned>(date.day()), static_cast<int>(time.hours().count()),
      static_cast<int>(time.minutes().count()),
      static_cast<int>(time.seconds().count()),
      static_cast<int>(time.subseconds().count()));
  return text;
}

std::string to_string(const ReplayDifference& x) {
  return "step " + std::to_string(x.step) + " at " + utc_time(x.at) + " UTC ("
         + x.event + "): then: " + x.then + ", now: " + x.now;
}

Replay replay(MessageLogReader& log, const ReplayOptions& options) {
  auto first = log.header().first_step;
  if (first != 1)
    throw std::runtime_error{
        "the log's beginning is gone, its first step is number "
        + std::to_string(first)
        + ": replaying needs every step; keep more of them with --log-max-size "
          "and --log-files"};
  Replay result{0, std::nullopt, Cluster{log.config()}};
  while (!options.until || result.steps < *options.until) {
    auto step = log.next();
    if (!step || (options.before_step && !options.before_step(*step)))
      break;
    if (step->made_with)
      result.cluster = Cluster{*std::move(step->made_with)};
    auto now = result.cluster.step(step->at, step->event);
    ++result.steps;
    result.difference = compare(*step, now);
    if (result.difference)
      break;
  }
  return result;
}

Replay replay(std::istream& in, const ReplayOptions& options) {
  MessageLogReader log{in};
  return replay(log, options);
}

Replay replay_file(const std::string& path, const ReplayOptions& options) {
  MessageLogReader log{message_log_files(path)};
  return replay(log, options);
}

} // namespace stoker
