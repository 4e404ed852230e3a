#pragma once

// Operators that need one partition of each of their parents for one of their own.

#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "jobs/operators.hpp"
#include "jobs/partition_map.hpp"
#include "jobs/pulled.hpp"

namespace stoker::jobs {

template <class T, class F>
using MappedTo = std::decay_t<std::invoke_result_t<F&, T>>;

template <class T, class F>
class Map final : public Stream<MappedTo<T, F>> {
public:
  using U = MappedTo<T, F>;

  explicit Map(Operands& x)
      : parent_(x.stream<T>()), f_(x.template function<F>()) {
  }
  static std::string name() {
    return operator_name<T, F>("map");
  }

  Status run(TaskRun& task, int partition, Sink<U>& to) const override {
    auto f = f_;
    return parent_->each(task, partition, [&](T& x) {
      U y = std::invoke(f, std::move(x));
      return to.push(y);
    });
  }

private:
  const Stream<T>* parent_;
  F f_;
};

template <class T, class F>
class Filter final : public Stream<T> {
public:
  explicit Filter(Operands& x)
      : parent_(x.stream<T>()), f_(x.template function<F>()) {
  }
  static std::string name() {
    return operator_name<T, F>("filter");
  }

  Status run(TaskRun& task, int partition, Sink<T>& to) const override {
    auto f = f_;
    return parent_->each(task, partition, [&](T& x) {
      return !std::invoke(f, std::as_const(x)) || to.push(x);
    });
  }

private:
  const Stream<T>* parent_;
  F f_;
};

/// Each element becomes all that the function returns for it.
template <class T, class U, class F>
class FlatMapRange final : public Stream<U> {
public:
  explicit FlatMapRange(Operands& x)
      : parent_(x.stream<T>()), f_(x.template function<F>()) {
  }
  static std::string name() {
    return operator_name<T, U, F>("flat_map");
  }

  Status run(TaskRun& task, int partition, Sink<U>& to) const override {
    auto f = f_;
    return parent_->each(task, partition, [&](T& x) {
      auto&& range = std::invoke(f, std::move(x));
      for (auto&& element : range) {
        U y(std::forward<decltype(element)>(element));
        if (task.ending() || !to.push(y))
          return false;
      }
      return true;
    });
  }

private:
  const Stream<T>* parent_;
  F f_;
};

/// Each element becomes all that the function emits for it.
template <class T, class U, class F>
class FlatMapEmit final : public Stream<U> {
public:
  explicit FlatMapEmit(Operands& x)
      : parent_(x.stream<T>()), f_(x.template function<F>()) {
  }
  static std::string name() {
    return operator_name<T, U, F>("flat_map to");
  }

  Status run(TaskRun& task, int partition, Sink<U>& to) const override {
    auto f = f_;
    Emit<U> emit{to, task};
    return parent_->each(task, partition, [&](T& x) {
      std::invoke(f, std::move(x), emit);
      return emit.wanted();
    });
  }

private:
  const Stream<T>* parent_;
  F f_;
};

template <class T, class U, class F>
class MapPartitions final : public Stream<U> {
public:
  explicit MapPartitions(Operands& x)
      : parent_(x.stream<T>()), f_(x.template function<F>()) {
  }
  static std::string name() {
    return operator_name<T, U, F>("map_partitions");
  }

  Status run(TaskRun& task, int partition, Sink<U>& to) const override {
    auto f = f_;
    Emit<U> emit{to, task};
    Elements<T> elements{*parent_, task, partition};
    std::invoke(f, elements, emit);
    return elements.status();
  }

private:
  const Stream<T>* parent_;
  F f_;
};

/// A partition of each of two parents, of the same number.
template <class A, class B, class U, class F>
class ZipPartitions final : public Stream<U> {
public:
  explicit ZipPartitions(Operands& x)
      : left_(x.stream<A>(0)), right_(x.stream<B>(1)),
        f_(x.template function<F>()) {
  }
  static std::string name() {
    return operator_name<A, B, U, F>("zip_partitions");
  }

  Status run(TaskRun& task, int partition, Sink<U>& to) const override {
    auto f = f_;
    Emit<U> emit{to, task};
    Elements<A> left{*left_, task, partition};
    Elements<B> right{*right_, task, partition};
    std::invoke(f, left, right, emit);
    if (!left.status())
      return left.status();
    return right.status();
  }

private:
  const Stream<A>* left_;
  const Stream<B>* right_;
  F f_;
};

/// Pairs of the elements at the same places.
template <class A, class B>
class Zip final : public Stream<std::pair<Owned<A>, Owned<B>>> {
public:
  using U = std::pair<Owned<A>, Owned<B>>;

  explicit Zip(Operands& x) : left_(x.stream<A>(0)), right_(x.stream<B>(1)) {
  }
  static std::string name() {
    return operator_name<A, B>("zip");
  }

  Status run(TaskRun& task, int partition, Sink<U>& to) const override {
    Pulled<B> right{*right_, task, partition};
    std::size_t lefts = 0;
    std::size_t rights = 0;
    auto wanted = true;
    auto status = left_->each(task, partition, [&](A& x) {
      ++lefts;
      auto* y = right.next();
      if (y == nullptr)
        return static_cast<bool>(right.status());
      ++rights;
      U both{take_owned(x), std::move(*y)};
      return wanted = to.push(both);
    });
    if (!status || !wanted)
      return status;
    while (right.next() != nullptr)
      ++rights;
    if (!right.status() || lefts == rights)
      return right.status();
    return invalid("partition " + std::to_string(partition) + " has "
                   + std::to_string(lefts) + " and " + std::to_string(rights)
                   + " elements: only equally many can be zipped");
  }

private:
  const Stream<A>* left_;
  const Stream<B>* right_;
};

/// The partitions of all parents, one parent behind the other.
template <class T>
class Unite final : public Stream<T> {
public:
  explicit Unite(Operands& x) : map_(x.template state<UnitedPartitions>()) {
    for (std::size_t i = 0; i < x.parents(); ++i)
      parents_.push_back(x.stream<T>(i));
  }
  static std::string name() {
    return operator_name<T>("union");
  }

  Status run(TaskRun& task, int partition, Sink<T>& to) const override {
    auto from = map_.at(partition);
    if (from.parent >= parents_.size())
      return invalid("there is no partition " + std::to_string(partition)
                     + " in this union");
    return parents_[from.parent]->run(task, from.partition, to);
  }

private:
  UnitedPartitions map_;
  std::vector<const Stream<T>*> parents_;
};

/// Several of the parent's partitions for each, one behind the other.
template <class T>
class Coalesce final : public Stream<T> {
public:
  explicit Coalesce(Operands& x)
      : parent_(x.stream<T>()), map_(x.template state<CoalescedPartitions>()) {
  }
  static std::string name() {
    return operator_name<T>("coalesce");
  }

  Status run(TaskRun& task, int partition, Sink<T>& to) const override {
    auto wanted = true;
    Status status;
    for (auto i = map_.begin(partition);
         status && wanted && i < map_.begin(partition + 1); ++i)
      status
          = parent_->each(task, i, [&](T& x) { return wanted = to.push(x); });
    return status;
  }

private:
  const Stream<T>* parent_;
  CoalescedPartitions map_;
};

} // namespace stoker::jobs
