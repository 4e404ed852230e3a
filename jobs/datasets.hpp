#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "jobs/dataset.hpp"
#include "jobs/sources.hpp"

namespace stoker::jobs {

struct TextOptions {
  /// Of a partition: the lines that begin in so many bytes of a file.
  std::int64_t split_bytes = std::int64_t{16} << 20;
};

/// Where datasets come from.
class Datasets {
public:
  explicit Datasets(std::shared_ptr<Runner> runner)
      : runner_(std::move(runner)) {
  }

  /// The lines of files, without their newlines; each is a view that holds until the
  /// functions have returned to which it is passed. Executors find the files under the
  /// same names. Fails if a pattern matches nothing, or something that cannot be read.
  /// @param globs Names and patterns (`*`, `?`, `[a-z]`); relative ones begin in the
  /// working directory
  [[nodiscard]] Result<Dataset<std::string_view>>
  text_files(const std::vector<std::string>& globs,
             const TextOptions& options = {}) const;

  /// Elements that this process has, in so many partitions; 0: the default number, or
  /// as many as there are cores.
  template <class T>
  [[nodiscard]] Dataset<T> parallelize(std::vector<T> values,
                                       int partitions = 0) const {
    static_assert(std::is_same_v<T, Owned<T>>,
                  "views do not hold until a job runs: make strings of them");
    partitions = partitions_of(partitions);
    auto source = std::make_shared<Source>();
    source->data = [partitions, all = std::make_shared<const std::vector<T>>(
                                    std::move(values))](int partition) {
      std::string result;
      auto [begin, end] = share_of(static_cast<std::int64_t>(all->size()),
                                   partition, partitions);
      for (auto i = begin; i < end; ++i)
        // A reference to a bool is none.
        put<T>(result, (*all)[static_cast<std::size_t>(i)]);
      return result;
    };
    return from<ReadValues<T>>("parallelize", std::move(source), partitions);
  }

  /// The numbers from `begin` up to, and without, `end`.
  /// @param partitions As above.
  [[nodiscard]] Dataset<std::int64_t>
  range(std::int64_t begin, std::int64_t end, int partitions = 0) const;

  /// Of so many: as evenly as can be.
  static std::pair<std::int64_t, std::int64_t>
  share_of(std::int64_t count, int partition, int partitions) {
    auto border = [&](std::int64_t i) {
      return count / partitions * i + count % partitions * i / partitions;
    };
    return {border(partition), border(partition + 1)};
  }

private:
  template <class Op>
  [[nodiscard]] Dataset<typename Op::Element>
  from(const char* what, std::shared_ptr<const Source> source,
       int partitions) const {
    auto node = std::make_shared<Node>();
    node->kind = NodeKind::source;
    node->what = what;
    node->name = registered<Op>();
    node->source = std::move(source);
    node->partitions = partitions;
    return {runner_, std::move(node)};
  }

  [[nodiscard]] int partitions_of(int wanted) const;

  std::shared_ptr<Runner> runner_;
};

} // namespace stoker::jobs
