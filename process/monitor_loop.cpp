#include "process/monitor_loop.hpp"

#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>
#include <system_error>
#include <utility>

namespace stoker::process {

namespace {

/// Stands for the eventfd in epoll; no program has it.
constexpr std::uint64_t wake_up_id = 0;

constexpr int sweep_pause_ms = 20;
constexpr int longest_wait_ms = 60'000;

UniqueFd checked(int fd, const char* what) {
  if (fd < 0)
    throw std::system_error{errno, std::generic_category(), what};
  return UniqueFd{fd};
}

} // namespace

Monitor::Loop::Loop(Listener listener, std::chrono::milliseconds hang_patience)
    : listener_(std::move(listener)), hang_patience_(hang_patience),
      epoll_(checked(::epoll_create1(EPOLL_CLOEXEC), "epoll_create1")),
      wake_up_(checked(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), "eventfd")) {
  wake_on(wake_up_.get(), wake_up_id);
  // Signals are for the threads of whoever uses the monitor.
  sigset_t all, before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_BLOCK, &all, &before);
  thread_ = std::thread{[this] { run(); }};
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

Monitor::Loop::~Loop() {
  post([this] { stopped_ = true; });
  thread_.join();
}

// -- for other threads --------------------------------------------------------

bool Monitor::Loop::take_key(const std::string& key) {
  std::lock_guard guard{mutex_};
  return keys_.insert(key).second;
}

void Monitor::Loop::release_key(const std::string& key) {
  std::lock_guard guard{mutex_};
  keys_.erase(key);
}

void Monitor::Loop::add(WatchedProgram program) {
  {
    std::lock_guard guard{mutex_};
    ++count_;
  }
  // A std::function has to be copyable, a program is not.
  auto shared = std::make_shared<WatchedProgram>(std::move(program));
  post([this, shared] {
    auto id = next_id_++;
    auto& added = programs_.emplace(id, std::move(*shared)).first->second;
    wake_on(added.connection(), id);
    wake_on(added.guard(), id);
    wake_on(added.supervisor(), id);
    handle(id);
  });
}

void Monitor::Loop::end(const std::string& key) {
  post([this, key] {
    end_those([&](const WatchedProgram& x) { return x.key() == key; });
  });
}

void Monitor::Loop::keep_output(const std::string& key,
                                const KeptOutput& kept) {
  post([this, key, kept] {
    request({RequestKind::keep, kept},
            [&](const WatchedProgram& x) { return x.key() == key; });
  });
}

void Monitor::Loop::write_input(const std::string& key, InputToWrite input) {
  // A std::function has to be copyable, and is not to copy so much.
  auto shared = std::make_shared<InputToWrite>(std::move(input));
  post([this, key, shared] {
    auto i = std::find_if(programs_.begin(), programs_.end(), [&](auto& x) {
      return x.second.key() == key && !x.second.reported();
    });
    if (i == programs_.end())
      return shared->taken(std::nullopt);
    i->second.write_input(std::move(*shared));
    handle(i->first);
  });
}

void Monitor::Loop::end_all() {
  post([this] { end_those([](const WatchedProgram&) { return true; }); });
}

bool Monitor::Loop::wait_until_empty(std::chrono::milliseconds timeout) {
  std::unique_lock guard{mutex_};
  return became_empty_.wait_for(guard, timeout, [&] { return count_ == 0; });
}

void Monitor::Loop::post(Task task) {
  {
    std::lock_guard guard{mutex_};
    tasks_.push_back(std::move(task));
  }
  ::eventfd_write(wake_up_.get(), 1);
}

// -- for the thread -----------------------------------------------------------

/// An exception ends the process: supervisors outlive it, and the next worker finds what they
/// run. A loop that had lost half of a step would wait for programs that it does not watch.
void Monitor::Loop::run() {
  while (!stopped_) {
    wait();
    run_tasks();
    find_stopped_guards();
    prod();
  }
}

void Monitor::Loop::run_tasks() {
  std::vector<Task> tasks;
  {
    std::lock_guard guard{mutex_};
    tasks.swap(tasks_);
  }
  for (const auto& task : tasks)
    task();
}

void Monitor::Loop::wait() {
  std::array<epoll_event, 64> events;
  auto n = ::epoll_wait(epoll_.get(), events.data(),
                        static_cast<int>(events.size()), time_to_wait());
  std::set<Id> ready;
  for (int i = 0; i < n; ++i)
    ready.insert(events[static_cast<std::size_t>(i)].data.u64);
  for (const auto& [id, program] : programs_)
    if (program.sweeping())
      ready.insert(id);
  if (ready.erase(wake_up_id) > 0) {
    eventfd_t ignored;
    ::eventfd_read(wake_up_.get(), &ignored);
  }
  for (auto id : ready)
    handle(id);
}

int Monitor::Loop::time_to_wait() const {
  if (std::any_of(programs_.begin(), programs_.end(),
                  [](const auto& x) { return x.second.sweeping(); }))
    return sweep_pause_ms;
  if (programs_.empty())
    return -1;
  auto next = prods_.empty() ? next_look_
                             : std::min(next_look_, prods_.begin()->first);
  auto left = std::chrono::ceil<std::chrono::milliseconds>(next - Clock::now());
  return static_cast<int>(
      std::clamp<std::int64_t>(left.count(), 0, longest_wait_ms));
}

void Monitor::Loop::handle(Id id) {
  auto i = programs_.find(id);
  if (i == programs_.end())
    return; // a late event
  auto& program = i->second;
  auto watched_supervisor = program.supervisor();
  program.handle([&](const Report& report) {
    // Before the listener runs, so that it can use the key again.
    if (program.reported())
      release_key(program.key());
    listener_(program.key(), report);
  });
  if (program.supervisor() != watched_supervisor)
    wake_on(program.supervisor(), id);
  if (!program.gone())
    return;
  programs_.erase(i);
  std::lock_guard guard{mutex_};
  if (--count_ == 0)
    became_empty_.notify_all();
}

void Monitor::Loop::request(
    const Request& what,
    const std::function<bool(const WatchedProgram&)>& predicate) {
  std::vector<Id> chosen;
  for (auto& [id, program] : programs_) {
    if (program.reported() || !predicate(program))
      continue;
    program.send(to_json(what));
    chosen.push_back(id);
  }
  for (auto id : chosen)
    handle(id);
}

void Monitor::Loop::end_those(
    const std::function<bool(const WatchedProgram&)>& predicate) {
  for (auto& [id, program] : programs_) {
    if (!predicate(program))
      continue;
    program.note_it_is_to_end();
    if (program.begin_to_prod())
      prods_.emplace(Clock::now() + hang_patience_, id);
  }
  request({RequestKind::end, {}}, predicate);
}

void Monitor::Loop::find_stopped_guards() {
  auto now = Clock::now();
  if (now < next_look_)
    return;
  next_look_ = now + hang_patience_;
  for (auto& [id, program] : programs_)
    if (program.has_stopped_guard() && program.begin_to_prod())
      prods_.emplace(next_look_, id);
}

void Monitor::Loop::prod() {
  auto now = Clock::now();
  while (!prods_.empty() && prods_.begin()->first <= now) {
    auto id = prods_.extract(prods_.begin()).value().second;
    auto i = programs_.find(id);
    if (i == programs_.end())
      continue;
    auto& program = i->second;
    if (!program.needs_prods()) {
      program.stop_prods();
      continue;
    }
    auto watched_supervisor = program.supervisor();
    program.prod();
    if (program.supervisor() != watched_supervisor)
      wake_on(program.supervisor(), id);
    prods_.emplace(now + hang_patience_, id);
    handle(id);
  }
}

void Monitor::Loop::wake_on(int fd, Id id) {
  if (fd < 0)
    return;
  epoll_event event{};
  // Edges suffice, since a program always does all that it can. Of a pidfd the
  // only edge is the exit; closing takes a descriptor out again.
  event.events = EPOLLIN | EPOLLOUT | EPOLLET;
  event.data.u64 = id;
  ::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event);
}

} // namespace stoker::process
