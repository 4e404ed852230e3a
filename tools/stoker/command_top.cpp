// stoker top: what a cluster does, live.

#include <unistd.h>

#include <chrono>
#include <iostream>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "embedding/signal_watch.hpp"
#include "embedding/stop_signal.hpp"
#include "tools/stoker/commands.hpp"
#include "tools/stoker/options.hpp"
#include "tools/stoker/terminal.hpp"
#include "tools/stoker/top_view.hpp"

namespace stoker {

namespace {

/// A master is asked no more often, whatever happens.
constexpr std::chrono::seconds shortest_interval{1};

/// How soon a key, a signal or a new state is noticed.
constexpr std::chrono::milliseconds look_every{100};

struct TopOptions {
  AccessOptions access;
  std::string order = "cores";
  bool once = false;
};

TopOrder order_named(const std::string& name) {
  return name == "memory" ? TopOrder::memory
         : name == "name" ? TopOrder::name
                          : TopOrder::cores;
}

/// Of applications it is said elsewhere which executors they have.
RequestMasterState question() {
  RequestMasterState result;
  result.executors_max = 0;
  return result;
}

MasterStateResponse present_state(Access& access) {
  return access.ask<MasterStateResponse>(question());
}

using WaitingReasons = std::map<AppId, std::string>;

/// Of so many: a master looks at all of its workers for each.
constexpr int reasons_asked_max = 3;

/// Why those wait that are first in line, if they wait for no others.
WaitingReasons reasons_of(Access& access, const MasterStateResponse& state) {
  WaitingReasons result;
  auto left = reasons_asked_max;
  for (const auto& x : state.active_apps) {
    if (x.state != ApplicationState::WAITING || !x.waits_for.empty())
      continue;
    if (left-- == 0)
      break;
    RequestExplanation question;
    question.app_id = x.id;
    auto answer = access.try_ask<ExplanationResponse>(question);
    if (!answer)
      break;
    if (!answer->reasons.empty())
      result[x.id] = answer->reasons.front();
  }
  return result;
}

std::int64_t present_ms() {
  return to_ms(std::chrono::floor<Duration>(std::chrono::system_clock::now()));
}

/// Asks on a thread of its own, when something has changed. It ends with the process: a
/// question that waits for its answer cannot be taken back.
class StateFollower : public std::enable_shared_from_this<StateFollower> {
public:
  struct News {
    MasterStateResponse state;
    WaitingReasons reasons;

    /// Why there is no newer one.
    std::string problem;
  };

  StateFollower(std::shared_ptr<Access> access, MasterStateResponse first)
      : access_(std::move(access)), news_{std::move(first), {}, {}} {
  }

  void start() {
    std::thread{[self = shared_from_this()] { self->run(); }}.detach();
  }

  /// The last there is, and whether it is new.
  std::pair<News, bool> take() {
    std::lock_guard guard{mutex_};
    return {news_, std::exchange(is_new_, false)};
  }

private:
  [[noreturn]] void run() {
    access_->on_wait(
        [this](const std::string& reason) { tell_problem(reason); });
    ChangePosition position;
    while (true) {
      auto asked = std::chrono::steady_clock::now();
      if (auto news = follow(position))
        tell(*std::move(news));
      else
        tell_problem(news.error().message);
      std::this_thread::sleep_until(asked + shortest_interval);
    }
  }

  /// Waits for a change.
  Result<News> follow(ChangePosition& position) {
    auto changed = access_->try_ask<ChangePosition>(
        AwaitChange{position, longest_following_ms});
    if (!changed)
      return std::move(changed).error();
    position = *changed;
    auto state = access_->try_ask<MasterStateResponse>(question());
    if (!state)
      return std::move(state).error();
    auto reasons = reasons_of(*access_, *state);
    return News{*std::move(state), std::move(reasons), {}};
  }

  void tell(News x) {
    std::lock_guard guard{mutex_};
    news_ = std::move(x);
    is_new_ = true;
  }

  void tell_problem(const std::string& why) {
    std::lock_guard guard{mutex_};
    news_.problem = why + "; trying again";
    is_new_ = true;
  }

  std::shared_ptr<Access> access_;
  std::mutex mutex_;
  News news_;
  bool is_new_ = true;
};

/// What a key changes; returns whether it ends all.
bool press(char key, TopOrder& order) {
  switch (key) {
  case 'c':
    order = TopOrder::cores;
    break;
  case 'm':
    order = TopOrder::memory;
    break;
  case 'n':
    order = TopOrder::name;
    break;
  case 'q':
  case '\0':
    return true;
  default:
    break;
  }
  return false;
}

const char* hint_of(TopOrder order) {
  switch (order) {
  case TopOrder::cores:
    return "by cores; m: by memory, n: by name, q: quit";
  case TopOrder::memory:
    return "by memory; c: by cores, n: by name, q: quit";
  case TopOrder::name:
    break;
  }
  return "by name; c: by cores, m: by memory, q: quit";
}

/// Draws until somebody ends it. @returns What the process ends with.
int draw_live(const std::shared_ptr<StateFollower>& follower, TopOrder order,
              const StopSignal& stop) {
  Terminal terminal;
  std::pair<std::size_t, std::size_t> drawn_size;
  auto drawn_at = std::chrono::steady_clock::time_point{};
  while (true) {
    auto [news, is_new] = follower->take();
    auto now = std::chrono::steady_clock::now();
    auto size = terminal.size();
    // Times pass although nothing changes.
    if (is_new || size != drawn_size || now - drawn_at >= shortest_interval) {
      drawn_size = size;
      drawn_at = now;
      TopView view;
      view.order = order;
      view.width = size.first;
      view.height = size.second;
      view.now_ms = present_ms();
      view.problem = news.problem;
      view.reasons = std::move(news.reasons);
      view.hint = hint_of(order);
      if (!terminal.draw(top_lines(news.state, view)))
        return exit_failure;
    }
    if (auto key = terminal.key(look_every)) {
      if (press(*key, order))
        return 0;
      drawn_at = {};
    }
    if (stop.wait_for(std::chrono::milliseconds{0}))
      return exit_interrupted;
  }
}

void print_once(Access& access, TopOrder order) {
  auto state = present_state(access);
  TopView view;
  view.reasons = reasons_of(access, state);
  view.order = order;
  view.now_ms = present_ms();
  for (const auto& line : top_lines(state, view))
    std::cout << line << '\n';
}

void run_top(const TopOptions& options) {
  if (options.once || !Terminal::is_there()) {
    Access access{options.access};
    return print_once(access, order_named(options.order));
  }
  // Before there is any other thread.
  StopSignal stop;
  std::shared_ptr<StateFollower> follower;
  {
    SignalWatch interrupter{stop, [](int) { ::_exit(exit_interrupted); }};
    auto access = std::make_shared<Access>(options.access);
    follower = std::make_shared<StateFollower>(access, present_state(*access));
  }
  follower->start();
  auto status = draw_live(follower, order_named(options.order), stop);
  // The thread that follows may wait for a master at this time.
  std::cout.flush();
  ::_exit(status);
}

} // namespace

void add_top_command(CLI::App& app, CommandContext&) {
  auto options = std::make_shared<TopOptions>();
  auto* command = app.add_subcommand(
      "top", "Show live what a cluster does, and who uses it");
  command->footer(
      "It is drawn again when something has changed, at most once a second. "
      "Keys: c, m\nand n sort by cores, memory and name, q ends it. Without a "
      "terminal it prints\none picture, as with --once.\n\n"
      "Examples:\n"
      "  stoker top\n"
      "  stoker top --once --sort memory");
  command
      ->add_option("--sort", options->order,
                   "What stands first: what has most of something, or names "
                   "from a to z")
      ->check(word_of({"cores", "memory", "name"}))
      ->capture_default_str();
  command->add_flag("--once", options->once, "Print one picture, and end");
  add_access_options(*command, options->access);
  command->callback([=] { run_top(*options); });
}

} // namespace stoker
