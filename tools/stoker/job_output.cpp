#include "tools/stoker/job_output.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "messages/json.hpp"
#include "scheduling/common/format.hpp"
#include "tools/stoker/json_output.hpp"
#include "tools/stoker/options.hpp"
#include "tools/stoker/text_width.hpp"

namespace stoker {

namespace {

using namespace std::chrono_literals;

constexpr auto draw_every = 100ms;

/// How long executors may be waited for before that is said.
constexpr auto executors_expected_in = 5s;
constexpr int bar_width = 24;

/// Of a stage, in bars.
constexpr std::size_t name_width = 20;

/// Lines of standard error that are shown of a task that failed.
constexpr std::size_t lines_shown = 20;

double seconds_since(std::chrono::steady_clock::time_point x) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - x)
      .count();
}

std::string number(double x) {
  char text[32];
  std::snprintf(text, sizeof text, x < 100 ? "%.1f" : "%.0f", x);
  return text;
}

/// The last lines, each on one of its own, with room in front.
std::string indented_end(const std::string& text) {
  std::vector<std::string> lines;
  std::size_t begin = 0;
  while (begin < text.size()) {
    auto end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  std::string result;
  for (auto i = lines.size() > lines_shown ? lines.size() - lines_shown : 0;
       i < lines.size(); ++i) {
    result += "\n  | ";
    for (auto c : lines[i])
      result += static_cast<unsigned char>(c) < 0x20 && c != '\t' ? '?' : c;
  }
  return result;
}

template <class T>
boost::json::object job_event(const char* name, const T& x) {
  auto result = to_json(x).as_object();
  result["event"] = name;
  return result;
}

} // namespace

std::string progress_bar(const StageProgress& x, double seconds, int width) {
  auto filled = x.tasks == 0
                    ? 0
                    : static_cast<int>(std::int64_t{width} * x.done / x.tasks);
  std::string result = "[" + std::string(static_cast<std::size_t>(filled), '=');
  if (filled < width)
    result
        += '>' + std::string(static_cast<std::size_t>(width - filled - 1), ' ');
  result += "] " + std::to_string(x.done) + '/' + std::to_string(x.tasks);
  if (x.running > 0)
    result += ", " + std::to_string(x.running) + " running";
  if (x.failed > 0)
    result += ", " + std::to_string(x.failed) + " failed";
  if (x.done == 0 || seconds <= 0)
    return result;
  auto rate = x.done / seconds;
  result += ", " + number(rate) + "/s";
  if (x.done < x.tasks)
    result += ", " + number((x.tasks - x.done) / rate) + " s left";
  return result;
}

JobOutput::JobOutput(JobOutputOptions options, const JobSpec& job,
                     OutputFile& out, OutputFile& err)
    : options_(options), job_(job), out_(out), err_(err),
      terminal_(isatty(STDERR_FILENO) == 1 && !options.quiet && !options.json) {
}

std::string JobOutput::name_of(StageId id) const {
  const auto* stage = find_stage(job_, id);
  return stage == nullptr ? to_string(id) : stage->name;
}

void JobOutput::print(const boost::json::object& x) {
  out_.write(json_line(x));
}

void JobOutput::say(const std::string& text) {
  clear_bars();
  err_.write("stoker: " + text + '\n');
}

// -- news ---------------------------------------------------------------------

void JobOutput::news(const JobNews& x) {
  std::visit([this](const auto& y) { show(y); }, x);
}

void JobOutput::show(const StageStarted& x) {
  stage_started_.try_emplace(x.stage, Clock::now());
  if (options_.json) {
    auto line = job_event("stage_started", x);
    line["name"] = name_of(x.stage);
    print(line);
  }
}

void JobOutput::show(const StageCompleted& x) {
  if (options_.json) {
    auto line = job_event("stage_completed", x);
    line["name"] = name_of(x.stage);
    print(line);
  }
}

void JobOutput::show(const AttemptFailed& x) {
  if (options_.json) {
    auto line = job_event("attempt_failed", x);
    line["name"] = name_of(x.id.stage);
    return print(line);
  }
  if (options_.quiet)
    return;
  // The end of the job says the same.
  const auto* stage = find_stage(job_, x.id.stage);
  if (stage != nullptr && x.failures >= stage->max_failures)
    return;
  // The first ones tell what is wrong; a thousand would hide it.
  constexpr int failures_shown = 10;
  if (++failures_ > failures_shown)
    return;
  say("task " + std::to_string(x.id.task) + " of stage '" + name_of(x.id.stage)
      + "' failed on " + x.host + " (executor " + std::to_string(x.exec_id)
      + "): " + x.why + "; "
      + (stage != nullptr && stage->is_barrier
             ? "all tasks of the stage are tried again"
             : "it is tried again")
      + (failures_ == failures_shown ? "; further failures are only counted"
                                     : ""));
}

void JobOutput::show(const OutputsLost& x) {
  if (options_.json) {
    auto line = job_event("outputs_lost", x);
    line["name"] = name_of(x.stage);
    return print(line);
  }
  if (!options_.quiet)
    say(std::to_string(x.count) + " outputs of stage '" + name_of(x.stage)
        + "' are made again: " + x.why);
}

void JobOutput::show(const BarrierAttemptBegun& x) {
  if (!options_.json)
    return;
  auto line = job_event("attempt_begun", x);
  line["name"] = name_of(x.stage);
  print(line);
}

void JobOutput::show(const ApplicationNews& x) {
  if (const auto* connected = std::get_if<ApplicationConnected>(&x)) {
    if (options_.json)
      print({{"event", "registered"}, {"app_id", connected->id.value}});
    else if (terminal_)
      say("registered as " + to_string(connected->id));
  } else if (const auto* left = std::get_if<ApplicationDisconnected>(&x)) {
    if (!options_.json && !options_.quiet)
      say(left->reason + "; tasks go on while the master is looked for");
  } else if (const auto* searches = std::get_if<ApplicationSearches>(&x)) {
    if (!options_.json && !options_.quiet)
      say(search_notice(searches->reason, options_.masters));
  }
}

// -- results and progress -----------------------------------------------------

Status JobOutput::result(const TaskAttempt& id, std::string_view bytes) {
  clear_bars();
  auto written = false;
  if (options_.json) {
    boost::json::object line{
        {"event", "result"}, {"name", name_of(id.stage)}, {"task", id.task}};
    set_data(line, bytes);
    written = out_.write(json_line(line));
  } else {
    written = out_.write(bytes);
  }
  return written ? Status{} : Error{Errc::io, out_.error_text()};
}

std::string JobOutput::bar(StageId id, const StageProgress& x) const {
  auto started = stage_started_.find(id);
  return in_cells(name_of(id), name_width) + ' '
         + progress_bar(x,
                        started == stage_started_.end()
                            ? 0
                            : seconds_since(started->second),
                        bar_width);
}

void JobOutput::progress(const std::map<StageId, StageProgress>& stages,
                         int executors) {
  if (executors == 0 && !told_to_wait_ && !options_.json && !options_.quiet
      && Clock::now() - started_ > executors_expected_in) {
    told_to_wait_ = true;
    say("waiting for executors; 'stoker explain' says for what");
  }
  if (!terminal_ || Clock::now() - drawn_ < draw_every)
    return;
  drawn_ = Clock::now();
  clear_bars();
  std::string text;
  for (const auto& [id, x] : stages)
    if (x.is_active || x.done < x.tasks) {
      text += bar(id, x) + '\n';
      ++lines_drawn_;
    }
  err_.write(text);
}

void JobOutput::clear_bars() {
  if (lines_drawn_ == 0)
    return;
  // Up, and all below goes.
  err_.write("\x1b[" + std::to_string(lines_drawn_) + "A\r\x1b[J");
  lines_drawn_ = 0;
}

void JobOutput::finish(const JobEnded& end,
                       const std::map<StageId, StageProgress>& stages) {
  clear_bars();
  auto took = seconds_since(started_);
  auto tasks = 0;
  auto failed = 0;
  for (const auto& [id, x] : stages) {
    tasks += x.done;
    failed += x.failed;
  }
  if (options_.json) {
    auto line = job_event("job_ended", end);
    line["seconds"] = took;
    line["tasks"] = tasks;
    line["failed_attempts"] = failed;
    return print(line);
  }
  if (end.outcome == JobOutcome::failed && !end.last_lines.empty())
    err_.write("stoker: the task's last lines of standard error:"
               + indented_end(end.last_lines) + '\n');
  if (end.outcome == JobOutcome::succeeded && !options_.quiet)
    say("done: " + format_count(tasks, "task") + " of "
        + format_count(std::ssize(stages), "stage") + " in " + number(took)
        + " s, " + number(took > 0 ? tasks / took : 0) + " tasks/s"
        + (failed > 0 ? ", " + std::to_string(failed) + " failed attempts"
                      : ""));
}

} // namespace stoker
