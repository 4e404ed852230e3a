#pragma once

// Operators that begin a stage with what the driver says, or with files.

#include <cstdint>
#include <string>
#include <string_view>

#include "jobs/file_lines.hpp"
#include "jobs/operators.hpp"

namespace stoker::jobs {

/// The lines of a file split.
class ReadLines final : public Stream<std::string_view> {
public:
  explicit ReadLines(Operands& x) : place_(x.place()) {
  }
  static std::string name() {
    return operator_name<>("lines");
  }

  Status run(TaskRun& task, int partition,
             Sink<std::string_view>& to) const override;

private:
  std::uint32_t place_;
};

/// The numbers of a range; `data` has its share.
struct RangeShare {
  std::int64_t begin = 0;
  std::int64_t end = 0;
};
BOOST_DESCRIBE_STRUCT(RangeShare, (), (begin, end))

class ReadRange final : public Stream<std::int64_t> {
public:
  explicit ReadRange(Operands& x) : place_(x.place()) {
  }
  static std::string name() {
    return operator_name<>("range");
  }

  Status run(TaskRun& task, int partition,
             Sink<std::int64_t>& to) const override;

private:
  std::uint32_t place_;
};

/// Elements that the driver had: `data` has them, one behind the other.
template <class T>
class ReadValues final : public Stream<T> {
public:
  explicit ReadValues(Operands& x) : place_(x.place()) {
  }
  static std::string name() {
    return operator_name<T>("values");
  }

  Status run(TaskRun& task, int partition, Sink<T>& to) const override {
    auto source = task.source(place_, partition);
    if (!source)
      return std::move(source).error();
    Decoder in{(*source)->data};
    while (in.left() > 0) {
      if (task.ending())
        return task.go_on();
      T x{};
      if (!Codec<T>::take(in, x))
        return invalid("the driver's elements are damaged");
      if (!to.push(x))
        return {};
    }
    return {};
  }

private:
  std::uint32_t place_;
};

} // namespace stoker::jobs
