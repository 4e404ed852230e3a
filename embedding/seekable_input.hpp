#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "messages/result.hpp"

namespace stoker {

/// What an input has at some place.
struct InputPart {
  std::string data;

  /// Nothing follows `data`.
  bool end = false;

  /// There is nothing yet: more will come, or the end.
  bool pending = false;
};

/// An input that can be read from any place, as often as one likes: each instance reads at
/// its own pace, and one that is started again reads all again. Used by one thread.
class SeekableInput {
public:
  virtual ~SeekableInput() = default;

  /// Reads at most so many bytes. Never waits for whoever writes the input. Fails for good,
  /// as when a disk is full, with a line that says why.
  virtual Result<InputPart> read(std::int64_t offset, std::size_t bytes_max)
      = 0;

  /// Nobody needs more than that, so far. It may become less.
  virtual void read_ahead(std::int64_t offset) {
    static_cast<void>(offset);
  }

  /// @param arrived Called, on any thread, when what was pending may be there.
  virtual void on_arrival(const std::function<void()>& arrived) {
    static_cast<void>(arrived);
  }
};

/// Opens what a descriptor has from where it stands on. A regular file is read where it is.
/// Of anything else, a pipe or a terminal, what was read is kept in a file without a name
/// in `directory`.
/// @param descriptor Must stay open.
Result<std::unique_ptr<SeekableInput>>
open_seekable_input(int descriptor, const std::string& directory);

} // namespace stoker
