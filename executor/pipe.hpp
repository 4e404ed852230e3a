#pragma once

#include <cstddef>

#include "process/unique_fd.hpp"

namespace stoker::executor {

struct Pipe {
  process::UniqueFd read_end;
  process::UniqueFd write_end;
};

/// Of a pipe that proves to be busy, in bytes.
inline constexpr std::size_t busy_pipe_bytes = std::size_t{256} * 1024;

/// What a pipe holds at first, in bytes.
inline constexpr std::size_t new_pipe_bytes = std::size_t{64} * 1024;

/// Which end stays here: it is non-blocking, that of the program is not.
enum class OwnEnd { read, write };

/// Returns 0 or an `errno` value.
int open_pipe(Pipe& pipe, OwnEnd own);

/// Gives a pipe `busy_pipe_bytes`, if the system allows it.
void enlarge_pipe(int end);

} // namespace stoker::executor
