#include "tools/stoker/run_output.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <iostream>

#include "messages/json.hpp"
#include "tools/stoker/exit_codes.hpp"
#include "tools/stoker/json_output.hpp"
#include "tools/stoker/notice.hpp"
#include "tools/stoker/options.hpp"

namespace stoker {

namespace {

/// How long instances may wait for resources before that is said.
constexpr std::chrono::seconds wait_quietly{5};

/// Between an instance's last failure and the end of the run.
constexpr std::chrono::milliseconds end_is_told_in{500};

/// With labels, a longer line becomes several: it is kept until its end comes.
constexpr std::size_t line_bytes_max = std::size_t{64} * 1024;

template <class T>
boost::json::object event(const char* name, const T& x) {
  auto result = to_json(x).as_object();
  result["event"] = name;
  return result;
}

std::string on(bool standard_error) {
  return standard_error ? " of its standard error" : " of its standard output";
}

bool are_one_file(int a, int b) {
  struct stat x {
  }, y{};
  return ::fstat(a, &x) == 0 && ::fstat(b, &y) == 0 && x.st_dev == y.st_dev
         && x.st_ino == y.st_ino;
}

} // namespace

RunEnd end_of_run(const RunOutcome& outcome) {
  switch (outcome.reason) {
  case EndReason::finished:
    if (outcome.error.empty() && outcome.output_incomplete
        && outcome.exit_status == 0)
      return {exit_failure, "some output is missing"};
    break;
  case EndReason::stopped:
    return {exit_interrupted,
            outcome.is_left_running
                ? "it was interrupted, and no master could be told: what runs "
                  "is ended soon after one is there again"
                : "it was interrupted"};
  case EndReason::master_lost:
    return {exit_no_master, outcome.error};
  case EndReason::refused:
  case EndReason::removed:
    break;
  }
  return {outcome.exit_status, outcome.error};
}

RunOutput::RunOutput(RunOutputOptions options, OutputFile& out, OutputFile& err)
    : options_(std::move(options)), out_(out), err_(err),
      terminal_(isatty(STDERR_FILENO) == 1 && !options_.quiet
                && !options_.json),
      started_(std::chrono::steady_clock::now()),
      is_one_file_(are_one_file(STDOUT_FILENO, STDERR_FILENO)) {
  if (options_.keep_order)
    order_.emplace(
        options_.spool_directory,
        [this](int index, bool standard_error, std::string_view data) {
          write_output(index, standard_error, data);
        },
        [this](int index) { end_lines(index); });
}

void RunOutput::news(const ApplicationNews& x) {
  std::visit([&](const auto& y) { show(y); }, x);
}

void RunOutput::show(const ApplicationConnected& x) {
  is_connected_ = true;
  if (options_.json)
    print({{"event", "registered"}, {"app_id", x.id.value}});
  else if (terminal_)
    say("registered as " + to_string(x.id));
}

void RunOutput::show(const ApplicationDisconnected& x) {
  is_connected_ = false;
  say(x.reason + "; the instances go on while the master is looked for");
}

void RunOutput::show(const ApplicationSearches& x) {
  say(search_notice(x.reason, options_.masters));
}

void RunOutput::show(const ExecutorAdded& x) {
  if (options_.json)
    print(event("executor_added", x));
}

void RunOutput::show(const ExecutorUpdated& x) {
  if (options_.json)
    return print(event("executor_updated", x));
  say_pending();
  pending_since_ = std::chrono::steady_clock::now();
}

void RunOutput::failed(int index, const std::string& why) {
  if (!options_.json)
    pending_ = "instance " + std::to_string(index) + ": " + why;
}

void RunOutput::attempt_begun(const BarrierAttemptBegun& x) {
  if (options_.json)
    print({{"event", "attempt_begun"},
           {"attempt", x.attempt},
           {"exec_ids", boost::json::value_from(x.exec_ids)}});
}

void RunOutput::attempt_failed(const AttemptFailed& x, bool again) {
  if (options_.json)
    print({{"event", "attempt_failed"},
           {"index", x.id.task},
           {"attempt", x.id.attempt},
           {"exec_id", x.exec_id},
           {"host", x.host},
           {"why", x.why}});
  else if (again)
    say("instance " + std::to_string(x.id.task) + " on " + x.host + ": " + x.why
        + "; all are started again");
}

void RunOutput::output(int index, bool standard_error, std::string_view data) {
  if (order_)
    require_kept(order_->output(index, standard_error, data));
  else
    write_output(index, standard_error, data);
}

void RunOutput::output_complete(int index) {
  if (order_)
    require_kept(order_->complete(index));
}

void RunOutput::require_kept(const Status& kept) {
  if (kept || !kept_)
    return;
  kept_ = Error{kept.error().code,
                kept.error().message
                    + "; TMPDIR may name a directory with more room"};
  if (on_error)
    on_error(kept_.error().message);
}

void RunOutput::end_lines(int index) {
  for (auto standard_error : {false, true}) {
    if (auto line = unfinished_.extract({index, standard_error});
        !line.empty() && !line.mapped().empty())
      write(standard_error,
            '[' + std::to_string(index) + "] " + line.mapped() + '\n');
    write_unfinished(index, standard_error);
  }
}

void RunOutput::write_output(int index, bool standard_error,
                             std::string_view data) {
  clear_progress();
  if (options_.json) {
    boost::json::object event{{"event", "output"},
                              {"index", index},
                              {"standard_error", standard_error}};
    set_data(event, data);
    print(event);
  } else if (options_.label) {
    labelled(index, standard_error, data);
  } else if (options_.whole_lines) {
    by_lines(index, standard_error, data);
  } else {
    write(standard_error, data);
  }
}

void RunOutput::output_ended(int index) {
  for (auto standard_error : {false, true})
    write_unfinished(index, standard_error);
}

void RunOutput::by_lines(int index, bool standard_error,
                         std::string_view data) {
  auto end = data.rfind('\n');
  if (end != std::string_view::npos) {
    write_unfinished(index, standard_error);
    write_part(index, standard_error, data.substr(0, end + 1));
    data.remove_prefix(end + 1);
  }
  if (data.empty())
    return;
  if (unlabelled_[{index, standard_error}].append(data))
    return;
  // Better in parts than lost.
  if (!std::exchange(told_of_parts_, true))
    warn("a long line is written in parts: there is no room for it in the "
         "directory of temporary files; TMPDIR may name another one");
  write_unfinished(index, standard_error);
  write_part(index, standard_error, data);
}

void RunOutput::write_part(int index, bool standard_error,
                           std::string_view data) {
  if (data.empty())
    return;
  auto& open = open_lines_[standard_error && !is_one_file_ ? 1 : 0];
  // In order, nothing is between the outputs of two instances: files stay as they were cut.
  if (open && *open != index && !order_)
    write(standard_error, "\n");
  write(standard_error, data);
  open = data.ends_with('\n') ? std::nullopt : std::optional{index};
}

void RunOutput::write_unfinished(int index, bool standard_error) {
  auto line = unlabelled_.extract({index, standard_error});
  if (line.empty() || line.mapped().empty())
    return;
  clear_progress();
  auto taken = line.mapped().take(
      [&](std::string_view text) { write_part(index, standard_error, text); });
  if (!taken && on_error)
    on_error("its output cannot be read from the directory of temporary files");
}

void RunOutput::output_dropped(int index, bool standard_error,
                               std::int64_t bytes) {
  if (options_.json)
    return print({{"event", "output_dropped"},
                  {"index", index},
                  {"standard_error", standard_error},
                  {"bytes", bytes}});
  warn("instance " + std::to_string(index) + ": " + std::to_string(bytes)
       + " bytes" + on(standard_error) + " were dropped");
}

void RunOutput::output_problem(int index, const std::string& why) {
  if (options_.json)
    return print({{"event", "output_problem"}, {"index", index}, {"why", why}});
  warn("instance " + std::to_string(index) + ": " + why);
}

void RunOutput::labelled(int index, bool standard_error,
                         std::string_view data) {
  auto& line = unfinished_[{index, standard_error}];
  std::string text;
  for (auto end = data.find('\n'); end != std::string_view::npos;
       end = data.find('\n')) {
    line.append(data.substr(0, end + 1));
    text += '[' + std::to_string(index) + "] " + line;
    line.clear();
    data.remove_prefix(end + 1);
  }
  line.append(data);
  if (line.size() >= line_bytes_max) {
    text += '[' + std::to_string(index) + "] " + line + '\n';
    line.clear();
  }
  write(standard_error, text);
}

void RunOutput::progress(const RunCounts& x) {
  // What ends the run is said with its end, which is told right after it.
  if (!x.failed
      && std::chrono::steady_clock::now() - pending_since_ > end_is_told_in)
    say_pending();
  // Without a master it is that what it waits for, and that is said elsewhere.
  auto waits = is_connected_ && x.running == 0 && !x.over;
  if (!waits) {
    started_ = std::chrono::steady_clock::now();
  } else if (!told_to_wait_
             && std::chrono::steady_clock::now() - started_ > wait_quietly) {
    told_to_wait_ = true;
    say(options_.has_dependencies
            ? "waiting for others to end, or for resources; 'stoker status' "
              "shows for whom"
            : "waiting for resources; 'stoker status' shows who has them");
  }
  if (!terminal_ || options_.reads_terminal)
    return;
  auto line = std::to_string(x.done) + " of " + std::to_string(x.count)
              + " done, " + std::to_string(x.running) + " running";
  if (x.gave_up > 0)
    line += ", " + std::to_string(x.gave_up) + " failed";
  if (shows_progress_ && line == last_progress_)
    return;
  clear_progress();
  std::cerr << line << std::flush;
  last_progress_ = line;
  shows_progress_ = true;
}

Status RunOutput::finish(const RunOutcome& outcome) {
  // That of a run which has failed is said by whoever reports its end.
  if (outcome.reason == EndReason::finished)
    say_pending();
  if (order_)
    require_kept(order_->finish());
  clear_progress();
  for (auto& [key, line] : unfinished_)
    if (!line.empty())
      write(key.second, '[' + std::to_string(key.first) + "] " + line + '\n');
  unfinished_.clear();
  while (!unlabelled_.empty()) {
    auto [index, standard_error] = unlabelled_.begin()->first;
    write_unfinished(index, standard_error);
  }
  if (!options_.json)
    return kept_;
  auto end = end_of_run(outcome);
  if (!kept_ && end.why.empty())
    end = {exit_failure, kept_.error().message};
  print({{"event", "ended"},
         {"exit_status", end.exit_status},
         {"error", end.why}});
  return kept_;
}

void RunOutput::write(bool standard_error, std::string_view data) {
  auto& file = standard_error ? err_ : out_;
  auto failed_before = file.error() != 0;
  if (file.write(data) || failed_before)
    return;
  if (file.error() == 0)
    is_cut_off_ = true;
  else if (on_error)
    on_error(file.error_text());
}

void RunOutput::print(const boost::json::object& event) {
  write(false, json_line(event));
}

void RunOutput::say(const std::string& news) {
  if (!options_.quiet && !options_.json)
    warn(news);
}

void RunOutput::warn(const std::string& news) {
  clear_progress();
  print_notice(news);
}

void RunOutput::say_pending() {
  if (!pending_.empty())
    say(std::exchange(pending_, {}));
}

void RunOutput::clear_progress() {
  if (!std::exchange(shows_progress_, false))
    return;
  // Back to the start of the line, and erase it.
  std::cerr << "\r\033[K" << std::flush;
}

} // namespace stoker
