#pragma once

#include <memory>
#include <string>

#include "embedding/seekable_input.hpp"
#include "messages/result.hpp"

namespace stoker {

/// An input that comes only once, as from a pipe or a terminal. A thread reads it, no further
/// than somebody needs (`SeekableInput::read_ahead`), into a file without a name.
/// @param directory Where that file is.
Result<std::unique_ptr<SeekableInput>>
spool_input(int descriptor, const std::string& directory);

} // namespace stoker
