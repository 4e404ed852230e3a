#include "executor/output_sink.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

namespace stoker::executor {

Result<std::size_t> read_from_pipe(int pipe, std::span<char> buffer) {
  for (;;) {
    auto n = ::read(pipe, buffer.data(), buffer.size());
    if (n >= 0)
      return static_cast<std::size_t>(n);
    if (errno == EAGAIN)
      return std::size_t{0};
    if (errno != EINTR)
      return Error{Errc::io,
                   std::string{"cannot read what the program writes: "}
                       + std::strerror(errno)};
  }
}

} // namespace stoker::executor
