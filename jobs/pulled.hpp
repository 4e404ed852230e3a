#pragma once

#include <condition_variable>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "jobs/owned.hpp"
#include "jobs/stream.hpp"
#include "jobs/task_context.hpp"
#include "jobs/task_run.hpp"

namespace stoker::jobs {

/// Two threads of which one runs at a time, as if there was only one.
class Turns {
public:
  enum class Side { asks, answers };

  /// The other side goes on; waits until it is this side's turn again.
  void pass_to(Side other) {
    std::unique_lock lock{mutex_};
    turn_ = other;
    changed_.notify_all();
    changed_.wait(lock, [&] { return turn_ != other; });
  }

  /// The other side goes on, and this one no more.
  void leave_to(Side other) {
    std::lock_guard lock{mutex_};
    turn_ = other;
    changed_.notify_all();
  }

  void await(Side side) {
    std::unique_lock lock{mutex_};
    changed_.wait(lock, [&] { return turn_ == side; });
  }

private:
  std::mutex mutex_;
  std::condition_variable changed_;
  Side turn_ = Side::asks;
};

/// The elements of a partition for who asks for one after the other, as is needed where
/// two partitions are read side by side. Streams push, so this one has a thread of its
/// own; it runs only while `next` waits for it, and what it uses of the task needs no
/// protection. Some elements are in memory.
template <class T>
class Pulled {
public:
  Pulled(const Stream<T>& from, TaskRun& task, int partition)
      : from_(from), task_(task), partition_(partition),
        context_(task_context()), thread_([this] { answer(); }) {
  }

  ~Pulled() {
    wanted_ = false;
    turns_.leave_to(Turns::Side::answers);
    thread_.join();
  }

  Pulled(const Pulled&) = delete;
  Pulled& operator=(const Pulled&) = delete;

  /// Null: that was all, or it failed, see `status`. Throws what a function threw.
  Owned<T>* next() {
    if (at_ == some_.size()) {
      at_ = 0;
      some_.clear();
      if (!ended_)
        turns_.pass_to(Turns::Side::answers);
      if (exception_)
        std::rethrow_exception(exception_);
      if (some_.empty())
        return nullptr;
    }
    return &some_[at_++];
  }

  [[nodiscard]] const Status& status() const noexcept {
    return status_;
  }

private:
  static constexpr std::size_t at_once = 256;

  void answer() {
    turns_.await(Turns::Side::answers);
    if (wanted_)
      run();
    ended_ = true;
    turns_.leave_to(Turns::Side::asks);
  }

  void run() {
    TaskContextScope scope{context_};
    try {
      status_ = from_.each(task_, partition_, [this](T& x) {
        some_.push_back(take_owned(x));
        if (some_.size() == at_once)
          turns_.pass_to(Turns::Side::asks);
        return wanted_;
      });
    } catch (...) {
      exception_ = std::current_exception();
    }
  }

  const Stream<T>& from_;
  TaskRun& task_;
  const int partition_;
  const TaskContext& context_;

  // For the side whose turn it is.
  std::vector<Owned<T>> some_;
  std::size_t at_ = 0;
  bool wanted_ = true;
  bool ended_ = false;
  Status status_;
  std::exception_ptr exception_;
  Turns turns_;

  /// Last: it uses all of the others.
  std::thread thread_;
};

} // namespace stoker::jobs
