#pragma once

// Operators that make the results of a job.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "jobs/blocks.hpp"
#include "jobs/operators.hpp"

namespace stoker::jobs {

inline constexpr std::size_t result_block_bytes = std::size_t{64} * 1024;

/// Elements as a result: all of them, or so many at most.
template <class T>
class Collect final : public Terminal {
public:
  explicit Collect(Operands& x)
      : parent_(x.stream<T>()), limit_(x.template state<std::uint64_t>()) {
  }
  static std::string name() {
    return operator_name<T>("collect");
  }

  Status run(TaskRun& task, int partition) const override {
    BlockWriter block;
    auto write = [&](std::string_view bytes) { return task.write(0, bytes); };
    Status written;
    std::uint64_t count = 0;
    if (limit_ == 0)
      return {};
    auto status = parent_->each(task, partition, [&](T& x) {
      block.add(x);
      if (block.size() >= result_block_bytes)
        written = block.flush(write);
      return written && ++count < limit_;
    });
    if (!status)
      return status;
    return written ? block.flush(write) : written;
  }

private:
  const Stream<T>* parent_;
  std::uint64_t limit_;
};

template <class T>
class Count final : public Terminal {
public:
  explicit Count(Operands& x) : parent_(x.stream<T>()) {
  }
  static std::string name() {
    return operator_name<T>("count");
  }

  Status run(TaskRun& task, int partition) const override {
    std::int64_t count = 0;
    auto status = parent_->each(task, partition, [&](T&) {
      ++count;
      return true;
    });
    if (!status)
      return status;
    return task.write(0, to_bytes(count));
  }

private:
  const Stream<T>* parent_;
};

/// One element, or none, made of all.
template <class T, class F>
class Reduce final : public Terminal {
public:
  explicit Reduce(Operands& x)
      : parent_(x.stream<T>()), f_(x.template function<F>()) {
  }
  static std::string name() {
    return operator_name<T, F>("reduce");
  }

  Status run(TaskRun& task, int partition) const override {
    auto f = f_;
    std::optional<Owned<T>> result;
    auto status = parent_->each(task, partition, [&](T& x) {
      if (result)
        result = std::invoke(f, *std::move(result), take_owned(x));
      else
        result = take_owned(x);
      return true;
    });
    if (!status)
      return status;
    return task.write(0, to_bytes(result));
  }

private:
  const Stream<T>* parent_;
  F f_;
};

/// Texts as lines of a file.
template <class T>
class WriteLines final : public Terminal {
public:
  explicit WriteLines(Operands& x) : parent_(x.stream<T>()) {
  }
  static std::string name() {
    return operator_name<T>("lines to");
  }

  Status run(TaskRun& task, int partition) const override {
    std::string lines;
    Status written;
    auto status = parent_->each(task, partition, [&](const T& x) {
      lines += x;
      lines += '\n';
      if (lines.size() >= result_block_bytes) {
        written = task.write(0, lines);
        lines.clear();
      }
      return static_cast<bool>(written);
    });
    if (!status)
      return status;
    return written && !lines.empty() ? task.write(0, lines) : written;
  }

private:
  const Stream<T>* parent_;
};

} // namespace stoker::jobs
