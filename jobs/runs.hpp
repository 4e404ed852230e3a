#pragma once

// What a table of keys held that did not fit in memory: sorted runs in one file, which are
// merged. They are sorted by the short hashes of keys, since keys have no order; equal
// keys, and others of the same short hash, come together.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "jobs/blocks.hpp"
#include "jobs/key.hpp"
#include "jobs/key_table.hpp"
#include "jobs/spill_file.hpp"
#include "jobs/task_run.hpp"

namespace stoker::jobs {

/// A part of a file: blocks of elements.
struct Run {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;

  [[nodiscard]] std::uint64_t bytes() const noexcept {
    return end - begin;
  }
};

/// The elements of a run, pairs of a key and a value, one after the other.
template <class K, class V>
class RunReader {
public:
  RunReader(const SpillFile& file, Run run) : file_(&file), rest_(run) {
  }

  /// Goes to the next element. False: there was none.
  Result<bool> advance() {
    if (in_.left() == 0) {
      if (rest_.bytes() == 0)
        return false;
      if (auto read = read_block(); !read)
        return std::move(read).error();
    }
    if (!Codec<std::pair<K, V>>::take(in_, element_))
      return BlockCutter::damaged();
    short_hash_ = short_hash_of(hash_of(element_.first));
    return true;
  }

  [[nodiscard]] std::pair<K, V>& element() noexcept {
    return element_;
  }
  [[nodiscard]] std::uint32_t short_hash() const noexcept {
    return short_hash_;
  }

private:
  Status read_block() {
    std::uint32_t length = 0;
    if (auto read = file_->read(rest_.begin, reinterpret_cast<char*>(&length),
                                sizeof length);
        !read)
      return read;
    rest_.begin += sizeof length;
    if (length > rest_.bytes())
      return BlockCutter::damaged();
    block_.resize(length);
    auto read = file_->read(rest_.begin, block_.data(), length);
    rest_.begin += length;
    in_ = Decoder{block_};
    return read;
  }

  const SpillFile* file_;

  /// What was not read.
  Run rest_;
  std::string block_;
  Decoder in_{std::string_view{}};
  std::pair<K, V> element_{};
  std::uint32_t short_hash_ = 0;
};

/// The elements of several runs, by short hash.
template <class K, class V>
class MergedRuns {
public:
  /// Goes to the first element.
  Status start(const SpillFile& file, const std::vector<Run>& runs) {
    for (const auto& run : runs) {
      auto reader = std::make_unique<RunReader<K, V>>(file, run);
      auto more = reader->advance();
      if (!more)
        return std::move(more).error();
      if (*more)
        readers_.push_back(std::move(reader));
    }
    std::make_heap(readers_.begin(), readers_.end(), is_later);
    return {};
  }

  [[nodiscard]] bool at_end() const noexcept {
    return readers_.empty();
  }

  /// @pre not `at_end()`
  [[nodiscard]] std::pair<K, V>& element() noexcept {
    return readers_.front()->element();
  }
  [[nodiscard]] std::uint32_t short_hash() const noexcept {
    return readers_.front()->short_hash();
  }

  /// Goes to the next one. @pre not `at_end()`
  Status advance() {
    std::pop_heap(readers_.begin(), readers_.end(), is_later);
    auto more = readers_.back()->advance();
    if (!more)
      return std::move(more).error();
    if (*more)
      std::push_heap(readers_.begin(), readers_.end(), is_later);
    else
      readers_.pop_back();
    return {};
  }

private:
  using Reader = std::unique_ptr<RunReader<K, V>>;

  static bool is_later(const Reader& a, const Reader& b) noexcept {
    return a->short_hash() > b->short_hash();
  }

  std::vector<Reader> readers_;
};

/// The runs of one operator of a task.
template <class K, class V>
class Runs {
public:
  /// @param memory_bytes What may be used for it, about.
  Runs(const TaskRun& task, std::uint64_t memory_bytes)
      : task_(task), file_(task.scratch_directory()),
        block_bytes_(std::clamp<std::uint64_t>(memory_bytes / blocks_in_memory,
                                               block_bytes_least,
                                               block_bytes_most)),
        merged_at_once_(std::clamp<std::uint64_t>(
            memory_bytes / 4 / block_bytes_, merged_least, merged_most)) {
  }

  [[nodiscard]] bool empty() const noexcept {
    return runs_.empty();
  }

  /// Of a block, when it is full.
  [[nodiscard]] std::size_t block_bytes() const noexcept {
    return block_bytes_;
  }

  /// Adds an element to the run that has begun. Elements come in the order of their short
  /// hashes; anything will do that is written as a pair of a K and a V is. False: it
  /// could not be written, and `end_run` says why.
  template <class T>
  bool add(const T& x) {
    block_.add(x);
    if (block_.size() >= block_bytes_)
      flush();
    return static_cast<bool>(status_);
  }

  /// The next element begins a new run.
  Status end_run() {
    flush();
    Run run{runs_end_, file_.end()};
    runs_end_ = run.end;
    if (status_ && run.bytes() > 0)
      runs_.push_back(run);
    return status_;
  }

  /// Begins to read all that was added: nothing can be added then.
  Result<MergedRuns<K, V>> merge() {
    while (runs_.size() > merged_at_once_)
      if (auto merged = merge_smallest(); !merged)
        return std::move(merged).error();
    MergedRuns<K, V> result;
    if (auto started = result.start(file_, runs_); !started)
      return std::move(started).error();
    return result;
  }

private:
  static constexpr std::uint64_t blocks_in_memory = 64;
  static constexpr std::uint64_t block_bytes_least = 256;
  static constexpr std::uint64_t block_bytes_most = std::uint64_t{64} << 10;
  static constexpr std::uint64_t merged_least = 4;
  static constexpr std::uint64_t merged_most = 256;

  void flush() {
    if (status_)
      status_ = block_.flush(
          [this](std::string_view bytes) { return file_.append(bytes); });
    if (status_)
      status_ = task_.go_on();
  }

  /// Makes one run of several, so that as few elements as possible are written again.
  Status merge_smallest() {
    std::sort(runs_.begin(), runs_.end(),
              [](const Run& a, const Run& b) { return a.bytes() < b.bytes(); });
    auto count = std::min<std::size_t>(merged_at_once_,
                                       runs_.size() - merged_at_once_ + 1);
    std::vector<Run> merged(runs_.begin(),
                            runs_.begin() + static_cast<std::ptrdiff_t>(count));
    runs_.erase(runs_.begin(),
                runs_.begin() + static_cast<std::ptrdiff_t>(count));
    MergedRuns<K, V> elements;
    if (auto started = elements.start(file_, merged); !started)
      return started;
    while (!elements.at_end()) {
      if (!add(elements.element()))
        return status_;
      if (auto advanced = elements.advance(); !advanced)
        return advanced;
    }
    for (const auto& run : merged)
      file_.free(run.begin, run.bytes());
    return end_run();
  }

  const TaskRun& task_;
  SpillFile file_;
  const std::size_t block_bytes_;
  const std::size_t merged_at_once_;
  BlockWriter block_;
  Status status_;
  std::vector<Run> runs_;

  /// Where the last one ends.
  std::uint64_t runs_end_ = 0;
};

/// Elements of merged runs with equal keys made one: all keys of the same short hash at a
/// time.
template <class K, class V>
class MergedKeys {
public:
  explicit MergedKeys(MergedRuns<K, V> elements)
      : elements_(std::move(elements)) {
  }

  /// Goes to the keys of the next short hash. `fold(V& value, V& next)` puts what has an
  /// equal key into the value; it returns a Status. False: there are no more.
  template <class Fold>
  Result<bool> advance(Fold&& fold) {
    keys_.clear();
    if (elements_.at_end())
      return false;
    short_hash_ = elements_.short_hash();
    while (!elements_.at_end() && elements_.short_hash() == short_hash_) {
      auto& next = elements_.element();
      auto known = std::find_if(keys_.begin(), keys_.end(), [&](const auto& x) {
        return x.first == next.first;
      });
      if (known == keys_.end())
        keys_.push_back(std::move(next));
      else if (Status folded = fold(known->second, next.second); !folded)
        return std::move(folded).error();
      if (auto advanced = elements_.advance(); !advanced)
        return std::move(advanced).error();
    }
    return true;
  }

  [[nodiscard]] std::uint32_t short_hash() const noexcept {
    return short_hash_;
  }
  [[nodiscard]] std::vector<std::pair<K, V>>& keys() noexcept {
    return keys_;
  }

private:
  MergedRuns<K, V> elements_;
  std::uint32_t short_hash_ = 0;
  std::vector<std::pair<K, V>> keys_;
};

} // namespace stoker::jobs
