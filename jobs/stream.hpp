#pragma once

// What runs in a task: streams, which push the elements of a partition into sinks. A
// chain of operations is a chain of calls for each element; nothing is collected.

#include <type_traits>
#include <utility>
#include <vector>

#include "jobs/owned.hpp"
#include "jobs/task_run.hpp"
#include "messages/result.hpp"

namespace stoker::jobs {

/// Takes elements, one by one.
template <class T>
class Sink {
public:
  Sink() = default;
  virtual ~Sink() = default;

  Sink(const Sink&) = delete;
  Sink& operator=(const Sink&) = delete;

  /// Who takes it may change it or move from it. Views in it hold until this returns.
  /// False: no more is wanted.
  virtual bool push(T& x) = 0;
};

namespace detail {

template <class T, class F>
class SinkOf final : public Sink<T> {
public:
  explicit SinkOf(F& f) : f_(f) {
  }
  bool push(T& x) override {
    return f_(x);
  }

private:
  F& f_;
};

} // namespace detail

/// Whatever a stage's program is made of.
class Operator {
public:
  Operator() = default;
  virtual ~Operator() = default;

  Operator(const Operator&) = delete;
  Operator& operator=(const Operator&) = delete;
};

/// Elements in partitions. Used by one task at a time.
template <class T>
class Stream : public Operator {
public:
  using Element = T;

  /// Pushes all elements of a partition, until no more are wanted. An error fails the
  /// task. Whoever makes elements of nothing, of files or of one of another stream asks
  /// `task.ending()` before each; whoever passes elements on need not.
  virtual Status run(TaskRun& task, int partition, Sink<T>& to) const = 0;

  /// Calls `f(T&)` for each; it returns whether more are wanted.
  template <class F>
  Status each(TaskRun& task, int partition, F f) const {
    detail::SinkOf<T, F> sink{f};
    return run(task, partition, sink);
  }
};

/// What is done with a stage's elements in the end.
class Terminal : public Operator {
public:
  virtual Status run(TaskRun& task, int partition) const = 0;
};

// -- for functions of users ---------------------------------------------------

/// Takes what a function makes.
template <class T>
class Emit {
public:
  Emit(Sink<T>& to, const TaskRun& task) : to_(to), task_(task) {
  }

  /// False: no more is wanted, or the task is to end; whatever else is emitted is passed
  /// over. A function that emits without end returns then.
  bool operator()(T x) {
    wanted_ = wanted_ && !task_.ending() && to_.push(x);
    return wanted_;
  }

  [[nodiscard]] bool wanted() const noexcept {
    return wanted_;
  }

private:
  Sink<T>& to_;
  const TaskRun& task_;
  bool wanted_ = true;
};

/// The elements of a partition, for a function that takes them all.
template <class T>
class Elements {
public:
  Elements(const Stream<T>& from, TaskRun& task, int partition)
      : from_(from), task_(task), partition_(partition) {
  }

  /// The partition's number, from 0.
  [[nodiscard]] int partition() const noexcept {
    return partition_;
  }

  /// Calls `f(T&)` for each element. If it returns a bool, false ends it early. Called
  /// again, it computes them again. When an element cannot be had it ends early, and the
  /// task fails, whatever the function makes of those it got.
  template <class F>
  void each(F&& f) {
    if (!status_)
      return;
    status_ = from_.each(task_, partition_, [&](T& x) {
      if constexpr (std::is_same_v<decltype(f(x)), bool>) {
        return f(x);
      } else {
        f(x);
        return true;
      }
    });
  }

  /// All of them, in memory.
  std::vector<Owned<T>> all() {
    std::vector<Owned<T>> result;
    each([&](T& x) { result.push_back(take_owned(x)); });
    return result;
  }

  /// Whether all was read that was to be.
  [[nodiscard]] const Status& status() const noexcept {
    return status_;
  }

private:
  const Stream<T>& from_;
  TaskRun& task_;
  int partition_;
  Status status_;
};

} // namespace stoker::jobs
