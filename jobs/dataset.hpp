#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "jobs/blocks.hpp"
#include "jobs/by_key.hpp"
#include "jobs/graph.hpp"
#include "jobs/join.hpp"
#include "jobs/key_operators.hpp"
#include "jobs/narrow.hpp"
#include "jobs/pairs.hpp"
#include "jobs/runner.hpp"
#include "jobs/shuffles.hpp"
#include "jobs/terminals.hpp"

namespace stoker::jobs {

template <class T>
class BarrierDataset;

/// Elements in partitions, spread over a cluster: a description of how they are made, as
/// Spark's RDD. Cheap to copy, and never changed: operations make new ones. Nothing runs
/// before an action (collect, count, reduce, take, first, save) is called; that one
/// waits for its result.
///
/// Functions that are given here run in other processes of the same program. They are
/// lambdas without captures, free functions as `fn<&f>`, or described structs with
/// `operator() const` (functions.hpp). Each partition has a copy of its own.
///
/// A T is of numbers, bool, enums, strings, pairs, tuples, optionals, arrays, vectors,
/// maps, sets and described structs (codec.hpp), where it is shuffled or becomes a
/// result. It may be a std::string_view, as lines of files are: that holds until the
/// functions have returned to which it is passed. What is kept of it is a std::string
/// (Owned<T>).
template <class T>
class Dataset {
public:
  using Element = T;

  /// For this library.
  Dataset(std::shared_ptr<Runner> runner, NodePtr node)
      : runner_(std::move(runner)), node_(std::move(node)) {
  }

  [[nodiscard]] int partitions() const noexcept {
    return node_->partitions;
  }

  // -- element by element -----------------------------------------------------

  /// What `f(T)` returns for each.
  template <class F>
  [[nodiscard]] auto map(F f) const {
    require_job_function<F>();
    return narrow<Map<T, F>>("map", f);
  }

  /// Those for which `f(const T&)` is true. Keys stay where they are.
  template <class F>
  [[nodiscard]] Dataset filter(F f) const {
    require_job_function<F>();
    return keeping_keys(narrow_node<Filter<T, F>>("filter", state_of(f)));
  }

  /// All that `f(T)` returns in a range; or all that `f(T, Emit<U>& emit)` emits, which
  /// needs no range for it:
  ///
  ///     lines.flat_map([](std::string_view line, Emit<std::string_view>& emit) {
  ///       ... emit(word); ...
  ///     })
  template <class F>
  [[nodiscard]] auto flat_map(F f) const {
    require_job_function<F>();
    using U = EmittedBy<F>;
    if constexpr (std::is_void_v<U>) {
      using Range = std::remove_cvref_t<std::invoke_result_t<F&, T>>;
      using Made = std::decay_t<decltype(*std::declval<Range&>().begin())>;
      return narrow<FlatMapRange<T, Made, F>>("flat_map", f);
    } else {
      return narrow<FlatMapEmit<T, U, F>>("flat_map", f);
    }
  }

  /// All that `f(Elements<T>&, Emit<U>&)` emits for each partition.
  template <class F>
  [[nodiscard]] auto map_partitions(F f) const {
    auto node = whole_partitions("map_partitions", f);
    return Dataset<EmittedBy<F>>{runner_, std::move(node)};
  }

  /// By tasks that begin together, and can wait for each other: Spark's RDD.barrier.
  [[nodiscard]] BarrierDataset<T> barrier() const {
    return BarrierDataset<T>{*this};
  }

  // -- other partitions -------------------------------------------------------

  /// The elements of both, those of this first.
  [[nodiscard]] Dataset union_with(const Dataset& other) const {
    auto node = make<Unite<T>>(NodeKind::united, "union");
    node->united.counts = {node_->partitions, other.node_->partitions};
    node->state = to_bytes(node->united);
    node->parents = {node_, other.node_};
    node->partitions = node_->partitions + other.node_->partitions;
    return {runner_, std::move(node)};
  }

  /// In at most so many partitions, without a shuffle.
  [[nodiscard]] Dataset coalesce(int partitions) const {
    auto node = make<Coalesce<T>>(NodeKind::coalesced, "coalesce");
    node->partitions = std::clamp(partitions, 1, node_->partitions);
    node->coalesced = {node_->partitions, node->partitions};
    node->state = to_bytes(node->coalesced);
    node->parents = {node_};
    return {runner_, std::move(node)};
  }

  /// Pairs of the elements at the same places. Both have as many partitions, or it
  /// fails; and as many elements in each, or the job fails.
  template <class U>
  [[nodiscard]] Result<Dataset<std::pair<Owned<T>, Owned<U>>>>
  zip(const Dataset<U>& other) const {
    if (auto same = same_partitions(other); !same)
      return std::move(same).error();
    return with<Zip<T, U>>(other, "zip", {});
  }

  /// All that `f(Elements<T>&, Elements<U>&, Emit<V>&)` emits for partitions of the
  /// same number. Fails if they have not equally many.
  template <class U, class F>
  [[nodiscard]] auto zip_partitions(const Dataset<U>& other, F f) const
      -> Result<Dataset<EmittedBy<F>>> {
    require_job_function<F>();
    if (auto same = same_partitions(other); !same)
      return std::move(same).error();
    return with<ZipPartitions<T, U, EmittedBy<F>, F>>(other, "zip_partitions",
                                                      state_of(f));
  }

  // -- keys: elements are pairs -----------------------------------------------

  /// What `f(value)` returns for each, with its key. Keys stay where they are.
  template <class F>
  [[nodiscard]] auto map_values(F f) const requires KeyAndValue<T> {
    require_job_function<F>();
    using Op = MapValues<KeyOf<T>, ValueOf<T>, F>;
    return Dataset<typename Op::Element>{
        runner_,
        with_keys_of_parent(narrow_node<Op>("map_values", state_of(f)))};
  }

  /// Equal keys go to the same of so many partitions; 0: the default number.
  [[nodiscard]] auto shuffle(int partitions = 0) const requires KeyAndValue<T> {
    using K = KeyOf<T>;
    using V = ValueOf<T>;
    return shuffled(registered<WriteByKey<K, V>>(), {}, partitions);
  }

  /// One pair for each key, with its values combined by `f(V, V)`, which must not mind
  /// the order. They are combined before the shuffle, too.
  /// @param partitions 0: the default number
  template <class F>
  [[nodiscard]] auto reduce_by_key(F f, int partitions
                                        = 0) const requires KeyAndValue<T> {
    require_job_function<F>();
    using K = KeyOf<T>;
    using V = ValueOf<T>;
    using Local = ReduceByKey<K, V, F>;
    using After = ReduceByKey<Owned<K>, Owned<V>, F>;
    partitions = partitions_or_default(partitions);
    if (node_->keyed_by == partitions)
      return keyed<Local>(node_, "reduce_by_key", state_of(f));
    auto all = shuffled(registered<WriteCombined<K, V, F>>(), state_of(f),
                        partitions);
    return keyed<After>(all.node(), "reduce_by_key", state_of(f));
  }

  /// One pair for each key, with all of its values, in no order. Those of one key have to
  /// fit in memory, or the job fails.
  /// @param partitions 0: the default number
  [[nodiscard]] auto group_by_key(int partitions
                                  = 0) const requires KeyAndValue<T> {
    using K = KeyOf<T>;
    using V = ValueOf<T>;
    partitions = partitions_or_default(partitions);
    if (node_->keyed_by == partitions)
      return keyed<GroupByKey<K, V>>(node_, "group_by_key", {});
    return keyed<GroupByKey<Owned<K>, Owned<V>>>(shuffle(partitions).node(),
                                                 "group_by_key", {});
  }

  /// A pair of values for each two elements with the same key. What is distributed by
  /// key already, to as many partitions, is not shuffled. The values of one key of `other`
  /// have to fit in memory, or the job fails.
  /// @param partitions 0: those of this, if it is distributed by key; else the default
  template <class U>
  [[nodiscard]] auto join(const Dataset<U>& other,
                          int partitions = 0) const requires KeyAndValue<T> {
    using K = Owned<KeyOf<T>>;
    using V = Owned<ValueOf<T>>;
    using W = Owned<ValueOf<U>>;
    static_assert(std::is_same_v<K, Owned<KeyOf<U>>>,
                  "only pairs with keys of the same type can be joined");
    if (partitions <= 0)
      partitions = node_->keyed_by.value_or(partitions_or_default(0));
    auto left = distributed(partitions);
    auto right = other.distributed(partitions);
    auto node = make<Join<K, V, W>>(NodeKind::narrow, "join");
    node->parents = {left.node(), right.node()};
    node->partitions = node->keyed_by.emplace(partitions);
    return Dataset<typename Join<K, V, W>::Element>{runner_, std::move(node)};
  }

  /// By key in so many partitions; this one, if it is that already.
  [[nodiscard]] Dataset<Owned<T>>
  distributed(int partitions) const requires KeyAndValue<T> {
    if constexpr (std::is_same_v<T, Owned<T>>)
      if (node_->keyed_by == partitions)
        return *this;
    return shuffle(partitions);
  }

  /// Each of equal elements once. @param partitions 0: the default number
  [[nodiscard]] auto distinct(int partitions = 0) const requires Key<T> {
    return map(WithNothing{})
        .reduce_by_key(KeepFirst{}, partitions)
        .map(FirstOf{});
  }

  [[nodiscard]] auto keys() const requires KeyAndValue<T> {
    return map(FirstOf{});
  }
  [[nodiscard]] auto values() const requires KeyAndValue<T> {
    return map(SecondOf{});
  }

  // -- actions: each runs a job, and fails if that does -----------------------

  /// All elements, in the order of partitions.
  [[nodiscard]] Result<std::vector<Owned<T>>> collect() const {
    std::vector<Owned<T>> result;
    if (auto status = collect_to(result, all("collect"), every); !status)
      return std::move(status).error();
    return result;
  }

  [[nodiscard]] Result<std::int64_t> count() const {
    auto action = all("count");
    action.name = registered<Count<T>>();
    std::int64_t result = 0;
    auto status
        = run_whole(*runner_, *node_, action, [&](const std::string& bytes) {
            return add_count(result, bytes);
          });
    if (!status)
      return std::move(status).error();
    return result;
  }

  /// All elements combined by `f(T, T)`, which must not mind the order; nothing: there
  /// are none.
  template <class F>
  [[nodiscard]] Result<std::optional<Owned<T>>> reduce(F f) const {
    require_job_function<F>();
    auto action = all("reduce");
    action.name = registered<Reduce<T, F>>();
    action.state = state_of(f);
    std::optional<Owned<T>> result;
    auto status = run_whole(
        *runner_, *node_, action, [&](const std::string& bytes) -> Status {
          auto part = from_bytes<std::optional<Owned<T>>>(bytes);
          if (!part)
            return BlockCutter::damaged();
          if (result && *part)
            result = std::invoke(f, *std::move(result), **std::move(part));
          else if (*part)
            result = *std::move(part);
          return {};
        });
    if (!status)
      return std::move(status).error();
    return result;
  }

  /// The first elements, in the order of partitions. Looks at one partition first, then
  /// at four times as many, as long as there are too few.
  [[nodiscard]] Result<std::vector<Owned<T>>> take(std::size_t count) const {
    std::vector<Owned<T>> result;
    auto at_once = 1;
    for (auto first = 0; result.size() < count && first < partitions();) {
      auto action = all("take");
      action.first_partition = first;
      action.partitions = std::min(at_once, partitions() - first);
      first += action.partitions;
      at_once = std::min(at_once, partitions_max / growth) * growth;
      if (auto status = collect_to(result, action, count - result.size());
          !status)
        return std::move(status).error();
    }
    if (result.size() > count)
      result.erase(result.begin() + static_cast<std::ptrdiff_t>(count),
                   result.end());
    return result;
  }

  /// Nothing: there are none.
  [[nodiscard]] Result<std::optional<Owned<T>>> first() const {
    auto found = take(1);
    if (!found)
      return std::move(found).error();
    std::optional<Owned<T>> result;
    if (!found->empty())
      result = std::move(found->front());
    return result;
  }

  /// Writes each element, a text, as a line: `part-00000` and so on, for each partition,
  /// and `_SUCCESS` when all are complete. Fails if the directory exists.
  [[nodiscard]] Status save(const std::string& directory) const {
    static_assert(
        std::is_convertible_v<const T&, std::string_view>,
        "save() writes lines: make texts of the elements first, with map()");
    auto action = all("save");
    action.name = registered<WriteLines<T>>();
    return run_saving(*runner_, *node_, std::move(action), directory);
  }

  // -- for this library -------------------------------------------------------

  [[nodiscard]] const NodePtr& node() const noexcept {
    return node_;
  }

private:
  friend class BarrierDataset<T>;

  static constexpr auto every = ~std::size_t{0};
  static constexpr int growth = 4;
  static constexpr int partitions_max = 1 << 24;

  template <class Op>
  [[nodiscard]] std::shared_ptr<Node> make(NodeKind kind,
                                           const char* what) const {
    auto result = std::make_shared<Node>();
    result->kind = kind;
    result->what = what;
    result->name = registered<Op>();
    return result;
  }

  template <class Op>
  [[nodiscard]] std::shared_ptr<Node>
  narrow_node(const char* what, const std::string& state) const {
    auto result = make<Op>(NodeKind::narrow, what);
    result->state = state;
    result->parents = {node_};
    result->partitions = node_->partitions;
    return result;
  }

  template <class Op, class F>
  [[nodiscard]] auto narrow(const char* what, const F& f) const {
    return Dataset<typename Op::Element>{runner_,
                                         narrow_node<Op>(what, state_of(f))};
  }

  /// `auto`, so that a wrong function is reported before all that follows from it.
  template <class F>
  [[nodiscard]] auto whole_partitions(const char* what, const F& f) const {
    require_job_function<F>();
    using U = EmittedBy<F>;
    static_assert(
        !std::is_void_v<U>,
        "the function of map_partitions takes (Elements<T>&, Emit<U>&)");
    return narrow_node<MapPartitions<T, U, F>>(what, state_of(f));
  }

  [[nodiscard]] std::shared_ptr<Node>
  with_keys_of_parent(std::shared_ptr<Node> x) const {
    x->keyed_by = node_->keyed_by;
    return x;
  }
  [[nodiscard]] Dataset keeping_keys(std::shared_ptr<Node> x) const {
    return {runner_, with_keys_of_parent(std::move(x))};
  }

  /// Of a parent that has each key in one partition.
  template <class Op>
  [[nodiscard]] auto keyed(const NodePtr& parent, const char* what,
                           const std::string& state) const {
    auto node = make<Op>(NodeKind::narrow, what);
    node->state = state;
    node->parents = {parent};
    node->partitions = parent->partitions;
    node->keyed_by = parent->keyed_by;
    return Dataset<typename Op::Element>{runner_, std::move(node)};
  }

  template <class Op, class U>
  [[nodiscard]] auto with(const Dataset<U>& other, const char* what,
                          std::string state) const {
    auto node = narrow_node<Op>(what, std::move(state));
    node->parents.push_back(other.node());
    return Dataset<typename Op::Element>{runner_, std::move(node)};
  }

  template <class U>
  [[nodiscard]] Status same_partitions(const Dataset<U>& other) const {
    if (partitions() != other.partitions())
      return invalid("datasets of " + std::to_string(partitions()) + " and "
                     + std::to_string(other.partitions())
                     + " partitions cannot be zipped");
    return {};
  }

  [[nodiscard]] int partitions_or_default(int partitions) const {
    if (partitions > 0)
      return partitions;
    auto usual = runner_->default_partitions();
    return usual > 0 ? usual : node_->partitions;
  }

  [[nodiscard]] auto shuffled(std::string writer, std::string function,
                              int partitions) const {
    using K = Owned<KeyOf<T>>;
    using V = Owned<ValueOf<T>>;
    partitions = partitions_or_default(partitions);
    auto node = make<ReadShuffle<K, V>>(NodeKind::shuffled, "shuffle");
    node->parents = {node_};
    node->partitions = node->keyed_by.emplace(partitions);
    node->shuffle = std::make_shared<Shuffle>(
        std::move(writer),
        to_bytes(ShuffleState{partitions, std::move(function)}),
        runner_->lease_stage());
    return Dataset<std::pair<K, V>>{runner_, std::move(node)};
  }

  [[nodiscard]] Action all(const char* what) const {
    Action result;
    result.what = what;
    result.partitions = partitions();
    return result;
  }

  Status collect_to(std::vector<Owned<T>>& target, Action action,
                    std::size_t limit) const {
    action.name = registered<Collect<T>>();
    action.state = to_bytes(std::uint64_t{limit});
    ElementReader<Owned<T>> reader;
    auto status = runner_->run(*node_, action,
                               [&](std::size_t, std::string_view bytes) {
                                 return reader.take(bytes, [&](Owned<T>& x) {
                                   target.push_back(std::move(x));
                                   return true;
                                 });
                               });
    if (!status)
      return status;
    return reader.finish();
  }

  static Status add_count(std::int64_t& sum, const std::string& bytes) {
    auto part = from_bytes<std::int64_t>(bytes);
    if (!part)
      return BlockCutter::damaged();
    sum += *part;
    return {};
  }

  std::shared_ptr<Runner> runner_;
  NodePtr node_;
};

} // namespace stoker::jobs

#include "jobs/barrier_dataset.hpp"
