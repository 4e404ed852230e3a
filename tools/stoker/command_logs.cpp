// stoker logs: what an executor or driver writes.

#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <optional>
#include <random>
#include <thread>
#include <utility>

#include "messages/following.hpp"
#include "messages/json.hpp"
#include "messages/missing_attempts.hpp"
#include "messages/output_start.hpp"
#include "messages/output_texts.hpp"
#include "scheduling/common/entity_id.hpp"
#include "tools/stoker/commands.hpp"
#include "tools/stoker/json_output.hpp"
#include "tools/stoker/notice.hpp"
#include "tools/stoker/options.hpp"
#include "tools/stoker/output_file.hpp"
#include "tools/stoker/program_choice.hpp"

namespace stoker {

namespace {

struct LogsOptions {
  AccessOptions access;
  std::string id;
  std::optional<int> instance;
  bool standard_error = false;
  bool follow = false;
  bool json = false;
};

constexpr std::int64_t portion = 512 * 1024;

/// How long a worker may take to tell that there is nothing new.
constexpr std::chrono::seconds wait{10};

/// Before something is asked again that could not be answered.
constexpr std::chrono::milliseconds pause{200};

/// How often an output that cannot be read now is asked for, without --follow.
constexpr int unreadable_max = 50;

/// How often a worker hears of a follower whose own reader does not read. It
/// would forget a follower that it does not hear of (OutputReaders::patience).
constexpr std::chrono::seconds sign_of_life{5};

bool names_application(const LogsOptions& options) {
  auto id = parse_entity_id(options.id);
  return id && std::holds_alternative<AppId>(*id);
}

/// Of an application, the executor of one instance.
ExecutorId executor_of(Access& access, const AppId& id,
                       std::optional<int> instance) {
  RequestMasterState question;
  question.workers = false;
  question.drivers = false;
  question.app_id = id;
  auto state = access.ask_leader(question);
  auto found = find_executor(state, id, instance);
  require_ok(exit_failure, found);
  return *std::move(found);
}

ProgramId program_named(Access& access, const LogsOptions& options) {
  auto id = parse_entity_id(options.id);
  if (names_application(options))
    return executor_of(access, std::get<AppId>(*id), options.instance);
  if (id && std::holds_alternative<ExecutorId>(*id))
    return std::get<ExecutorId>(*id);
  if (id && std::holds_alternative<DriverId>(*id))
    return std::get<DriverId>(*id);
  throw CommandError{exit_usage,
                     "'" + options.id
                         + "' is the id of no application, executor "
                           "(app-.../0) or driver; 'stoker status' shows them"};
}

std::string new_reader() {
  std::random_device random;
  return "logs-" + std::to_string(getpid()) + '-' + std::to_string(random());
}

/// Reads one output to its end, from one worker to the next.
class LogsReader {
public:
  LogsReader(const LogsOptions& options, Access& access, ProgramId id)
      : options_(options), access_(access), id_(std::move(id)),
        reader_(new_reader()),
        file_(STDOUT_FILENO, [this] { return give_sign_of_life(); }) {
  }

  void run() {
    begin_with(id_);
    while (!done_)
      read_on();
    tell_of_missing();
    require_written(file_);
    if (incomplete_)
      throw CommandError{exit_failure, "some output is missing"};
  }

private:
  void begin_with(const ProgramId& id) {
    id_ = id;
    position_ = start_of_output(id_, options_.standard_error);
    worker_.reset();
  }

  void read_on() {
    if (!worker_ && !find_worker())
      return;
    auto answer = access_.try_ask<OutputResponse>(
        request(options_.follow ? wait : std::chrono::seconds{0}));
    if (!answer)
      return cannot_be_read(answer.error());
    told_ = false;
    // Without a part there is nothing new.
    if (answer->parts.empty())
      done_ = !options_.follow;
    for (auto& part : answer->parts)
      take(part);
  }

  /// Returns false if there is none yet.
  bool find_worker() {
    auto place
        = access_.ask<OutputPlaceResponse>(about<RequestOutputPlace>(id_));
    worker_ = place.worker_id;
    if (worker_)
      return true;
    if (follow_to(place))
      return false;
    if (place.finished)
      throw CommandError{exit_failure, never_started_text(end_of_driver())};
    if (!options_.follow)
      throw CommandError{exit_failure, not_placed_yet_text(id_)};
    std::this_thread::sleep_for(pause);
    return false;
  }

  /// Of one without a worker: an executor has always had one.
  ProgramEnd end_of_driver() {
    RequestEnds question;
    question.drivers = {std::get<DriverId>(id_)};
    return access_.ask<EndsResponse>(question).ends.at(0);
  }

  [[nodiscard]] RequestOutput
  request(std::chrono::milliseconds patience) const {
    RequestOutput result;
    result.worker_id = *worker_;
    result.reader = reader_;
    result.positions = {position_};
    result.limit = portion;
    result.wait_ms = patience.count();
    return result;
  }

  void take(const OutputPart& part) {
    // Earlier attempts may not be kept.
    if (std::exchange(position_.attempt, part.position.attempt)
        != part.position.attempt)
      position_.offset = 0;
    if (!part.complete || !part.restarts || !part.problem || !part.data.empty())
      tell_of_missing();
    if (auto bytes = no_longer_kept(part, position_.offset); bytes > 0) {
      print_notice(no_longer_kept_text(bytes));
      // What rotation took before the first question is not expected.
      incomplete_ = incomplete_ || position_.offset > 0;
    }
    // A worker may send anything.
    if (auto why = loss_text(part); why && part.gone > 0 && !part.complete) {
      print_notice(*why);
      incomplete_ = true;
    }
    if (!part.data.empty())
      unreadable_ = 0;
    // A log that was cut off may end before what was read.
    position_.offset = std::max(
        position_.offset,
        part.position.offset + static_cast<std::int64_t>(part.data.size()));
    print(part);
    if (part.complete && file_.error() == 0)
      return end_of_attempt(part);
    if (part.problem && part.data.empty()
        && !std::exchange(told_of_problem_, true))
      print_notice(*part.problem);
    auto is_all = is_unreadable(part) ? !may_be_read_later()
                                      : position_.offset >= part.end;
    done_ = file_.error() != 0 || (!options_.follow && is_all);
  }

  /// Waits a little for output that cannot be read now.
  /// @return whether it is to be asked for again
  bool may_be_read_later() {
    if (!options_.follow && ++unreadable_ > unreadable_max) {
      incomplete_ = true;
      return false;
    }
    std::this_thread::sleep_for(pause);
    return true;
  }

  void print(const OutputPart& part) {
    printed_ = printed_ || !part.data.empty();
    if (!options_.json) {
      file_.write(part.data);
      return;
    }
    auto object = to_json(part).as_object();
    set_data(object, part.data);
    file_.write(json_line(object));
  }

  void end_of_attempt(const OutputPart& part) {
    if (part.lost > 0 && !part.problem) {
      incomplete_ = true;
      print_notice(*loss_text(part));
    }
    // The first attempts that are no longer kept are passed over.
    if (part.problem && part.restarts && (printed_ || part.gone > 0)) {
      incomplete_ = true;
      if (auto text
          = missing_.add(part.position.attempt, *part.problem, part.gone))
        print_notice(*text);
    } else if (part.problem && !part.restarts) {
      incomplete_ = true;
      print_notice(*part.problem);
    }
    if (part.restarts) {
      ++position_.attempt;
      position_.offset = 0;
    } else if (std::holds_alternative<ExecutorId>(id_)) {
      done_ = true;
    } else {
      follow_driver();
    }
  }

  /// A driver may go on elsewhere.
  void follow_driver() {
    auto place
        = access_.ask<OutputPlaceResponse>(about<RequestOutputPlace>(id_));
    if (follow_to(place))
      return;
    done_ = place.finished || !options_.follow;
    // The master has not heard of the end.
    if (!done_)
      std::this_thread::sleep_for(pause);
  }

  bool follow_to(const OutputPlaceResponse& place) {
    if (!place.relaunched_as)
      return false;
    print_notice(started_again_text(*place.relaunched_as));
    begin_with(*place.relaunched_as);
    return true;
  }

  void tell_of_missing() {
    if (auto text = missing_.take())
      print_notice(*text);
  }

  void cannot_be_read(const Error& error) {
    tell_of_missing();
    if (error.code == Errc::not_found)
      return is_lost(error);
    if (!options_.follow || error.code != Errc::not_running)
      throw CommandError{error};
    if (!std::exchange(told_, true))
      print_notice(error.message + "; trying again");
    std::this_thread::sleep_for(pause);
  }

  /// Its worker is, with what it has not shown. A driver may go on elsewhere.
  void is_lost(const Error& error) {
    auto place
        = access_.ask<OutputPlaceResponse>(about<RequestOutputPlace>(id_));
    if (!place.relaunched_as && (place.finished || !options_.follow))
      throw CommandError{error};
    print_notice(lost_with_worker_text(error.message));
    incomplete_ = true;
    if (follow_to(place))
      return;
    // An instance goes on as another executor.
    if (std::holds_alternative<ExecutorId>(id_))
      done_ = true;
    else
      std::this_thread::sleep_for(pause);
  }

  bool give_sign_of_life() {
    auto now = std::chrono::steady_clock::now();
    if (options_.follow && now - last_sign_ >= sign_of_life) {
      last_sign_ = now;
      auto sign = request(std::chrono::milliseconds{0});
      sign.limit = 0;
      static_cast<void>(access_.try_ask<OutputResponse>(sign));
    }
    return true;
  }

  const LogsOptions& options_;
  Access& access_;
  ProgramId id_;
  std::string reader_;
  OutputFile file_;
  OutputPosition position_;
  std::optional<WorkerId> worker_;
  MissingAttempts missing_;
  bool done_ = false;
  bool printed_ = false;
  bool told_ = false;
  bool told_of_problem_ = false;
  int unreadable_ = 0;
  bool incomplete_ = false;
  std::chrono::steady_clock::time_point last_sign_;
};

void run_logs(const LogsOptions& options) {
  Access access{options.access};
  LogsReader{options, access, program_named(access, options)}.run();
}

} // namespace

void add_logs_command(CLI::App& app, CommandContext&) {
  auto options = std::make_shared<LogsOptions>();
  auto* command = app.add_subcommand(
      "logs", "Print what an executor or driver has written");
  command->footer(
      "Examples:\n"
      "  stoker logs app-20261121074600-0001 --instance 3\n"
      "  stoker logs app-20261121074600-0001/0\n"
      "  stoker logs driver-20261121074600-0001 --follow\n"
      "  stoker logs driver-20261121074600-0001 --stderr\n\n"
      "APP/N is executor N of APP. An instance that was started again has had "
      "several;\n--instance shows the last.\n"
      "What the master did is in its message log: see 'stoker log'.");
  command->add_option("ID", options->id, "As 'stoker status' shows it")
      ->required();
  add_number_option(*command, "--instance", options->instance, 0,
                    "Of an application: which of its instances");
  command->add_flag("--follow,-f", options->follow,
                    "Go on until it ends, or Ctrl-C");
  command->add_flag("--stderr", options->standard_error,
                    "Standard error instead of standard output");
  command->add_flag("--json", options->json,
                    "Parts with their offsets, one JSON object a line");
  // A copy of the pointer would keep the options, and they the rules, for ever.
  options->access.rules.needs
      = {{"--instance", "goes with an application",
          [&target = *options] { return names_application(target); }}};
  add_access_options(*command, options->access);
  command->callback([=] { run_logs(*options); });
}

} // namespace stoker
