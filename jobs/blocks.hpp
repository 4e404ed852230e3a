#pragma once

// Elements in outputs and results: blocks of whole ones, each behind its length in four
// bytes, so that a reader decodes a block where it lies.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include "jobs/codec.hpp"
#include "messages/result.hpp"

namespace stoker::jobs {

inline constexpr std::size_t block_header_bytes = 4;

/// One block, while it is filled.
class BlockWriter {
public:
  template <class T>
  void add(const T& x) {
    if (bytes_.empty())
      bytes_.resize(block_header_bytes);
    put(bytes_, x);
  }

  [[nodiscard]] std::size_t size() const noexcept {
    return bytes_.size();
  }

  /// Hands the block to `write(std::string_view)`, unless it is empty, and begins the
  /// next.
  template <class Write>
  Status flush(Write&& write) {
    if (bytes_.empty())
      return {};
    auto length = bytes_.size() - block_header_bytes;
    if (length > std::numeric_limits<std::uint32_t>::max())
      return invalid("an element takes more than 4 GB");
    auto header = static_cast<std::uint32_t>(length);
    std::memcpy(bytes_.data(), &header, sizeof header);
    Status result = write(std::string_view{bytes_});
    bytes_.clear();
    return result;
  }

private:
  std::string bytes_;
};

/// Cuts bytes that come in pieces of any size into blocks.
class BlockCutter {
public:
  /// Calls `use(std::string_view block)` for each that is complete.
  template <class Use>
  Status take(std::string_view bytes, Use&& use) {
    while (!bytes.empty()) {
      if (!rest_.empty()) {
        // First the header, then what it says.
        auto wanted = rest_.size() < block_header_bytes
                          ? block_header_bytes
                          : block_header_bytes + length_of(rest_);
        auto piece = bytes.substr(0, wanted - rest_.size());
        rest_ += piece;
        bytes.remove_prefix(piece.size());
        if (rest_.size() < block_header_bytes
            || rest_.size() < block_header_bytes + length_of(rest_))
          continue;
        auto block = std::exchange(rest_, {});
        if (auto status
            = use(std::string_view{block}.substr(block_header_bytes));
            !status)
          return status;
        continue;
      }
      if (bytes.size() < block_header_bytes
          || bytes.size() < block_header_bytes + length_of(bytes)) {
        rest_ = bytes;
        return {};
      }
      auto length = length_of(bytes);
      if (auto status = use(bytes.substr(block_header_bytes, length)); !status)
        return status;
      bytes.remove_prefix(block_header_bytes + length);
    }
    return {};
  }

  /// Fails if a block has not ended.
  [[nodiscard]] Status finish() const {
    if (!rest_.empty())
      return damaged();
    return {};
  }

  static Error damaged() {
    return {Errc::corrupt, "elements that another task wrote are damaged"};
  }

private:
  static std::size_t length_of(std::string_view bytes) {
    std::uint32_t result = 0;
    std::memcpy(&result, bytes.data(), sizeof result);
    return result;
  }

  /// The begin of a block.
  std::string rest_;
};

/// The elements of blocks that come in pieces.
template <class T>
class ElementReader {
public:
  /// Calls `use(T&)` for each element until it returns false; from then on they are
  /// only counted off.
  template <class Use>
  Status take(std::string_view bytes, Use&& use) {
    return cutter_.take(bytes, [&](std::string_view block) -> Status {
      if (!wanted_)
        return {};
      Decoder in{block};
      while (in.left() > 0) {
        if (!Codec<T>::take(in, element_))
          return BlockCutter::damaged();
        if (!use(element_)) {
          wanted_ = false;
          return {};
        }
      }
      return {};
    });
  }

  [[nodiscard]] Status finish() const {
    return cutter_.finish();
  }

private:
  BlockCutter cutter_;
  bool wanted_ = true;

  /// One for all: a text need not be allocated for each.
  T element_{};
};

} // namespace stoker::jobs
