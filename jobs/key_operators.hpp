#pragma once

// Operators on pairs that leave keys where they are, and small functions on elements.

#include <functional>
#include <string>
#include <type_traits>
#include <utility>

#include "jobs/operators.hpp"

namespace stoker::jobs {

template <class K, class V, class F>
class MapValues final
    : public Stream<std::pair<K, std::decay_t<std::invoke_result_t<F&, V>>>> {
public:
  using U = std::pair<K, std::decay_t<std::invoke_result_t<F&, V>>>;

  explicit MapValues(Operands& x)
      : parent_(x.stream<std::pair<K, V>>()), f_(x.template function<F>()) {
  }
  static std::string name() {
    return operator_name<K, V, F>("map_values");
  }

  Status run(TaskRun& task, int partition, Sink<U>& to) const override {
    auto f = f_;
    return parent_->each(task, partition, [&](std::pair<K, V>& x) {
      U y{std::move(x.first), std::invoke(f, std::move(x.second))};
      return to.push(y);
    });
  }

private:
  const Stream<std::pair<K, V>>* parent_;
  F f_;
};

struct WithNothing {
  template <class T>
  std::pair<T, bool> operator()(T x) const {
    return {std::move(x), true};
  }
};

struct KeepFirst {
  template <class T>
  T operator()(T first, const T&) const {
    return first;
  }
};

struct FirstOf {
  template <class A, class B>
  A operator()(std::pair<A, B> x) const {
    return std::move(x.first);
  }
};

struct SecondOf {
  template <class A, class B>
  B operator()(std::pair<A, B> x) const {
    return std::move(x.second);
  }
};

} // namespace stoker::jobs
