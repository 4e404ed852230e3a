#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "process/monitor.hpp"
#include "process/unique_fd.hpp"
#include "process/watched_program.hpp"

namespace stoker::process {

/// The thread of a monitor, and everything that it owns.
class Monitor::Loop {
public:
  Loop(Listener listener, std::chrono::milliseconds hang_patience);
  ~Loop();

  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  // -- for other threads ------------------------------------------------------

  /// Reserves a key until its last report. Returns false if it is taken.
  bool take_key(const std::string& key);

  void release_key(const std::string& key);

  /// Watches a program from now on. Its key has to be taken.
  void add(WatchedProgram program);

  void end(const std::string& key);

  void keep_output(const std::string& key, const KeptOutput& kept);

  void write_input(const std::string& key, InputToWrite input);

  void end_all();

  bool wait_until_empty(std::chrono::milliseconds timeout);

private:
  using Id = std::uint64_t;
  using Task = std::function<void()>;
  using Clock = std::chrono::steady_clock;

  /// Has the thread do something.
  void post(Task task);

  // -- for the thread ---------------------------------------------------------

  void run();
  void run_tasks();
  void wait();
  void handle(Id id);
  /// Sends a request to those that the predicate chooses.
  void request(const Request& what,
               const std::function<bool(const WatchedProgram&)>& predicate);
  void end_those(const std::function<bool(const WatchedProgram&)>& predicate);
  /// Looks after those that are to end, and have not, and those whose guard is stopped.
  void prod();
  /// Finds guards that are stopped. Looks at all programs, after `hang_patience_` again.
  void find_stopped_guards();
  /// In ms; -1: for ever.
  [[nodiscard]] int time_to_wait() const;
  void wake_on(int fd, Id id);

  Listener listener_;
  std::chrono::milliseconds hang_patience_;
  UniqueFd epoll_;
  UniqueFd wake_up_;

  // Owned by the thread.
  std::map<Id, WatchedProgram> programs_;
  Id next_id_ = 1;
  /// When each that is prodded is prodded next.
  std::set<std::pair<Clock::time_point, Id>> prods_;
  /// When guards are looked at next.
  Clock::time_point next_look_;
  bool stopped_ = false;

  // Shared.
  std::mutex mutex_;
  std::condition_variable became_empty_;
  std::vector<Task> tasks_;
  std::set<std::string> keys_;
  /// Programs that are not gone, those on the way to the thread included.
  std::size_t count_ = 0;

  std::thread thread_;
};

} // namespace stoker::process
