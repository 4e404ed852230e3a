#include "executor/input_source.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace stoker::executor {

Result<Feeding> InputSource::check() {
  return Feeding::finished;
}

int InputSource::descriptor() const {
  return -1;
}

Result<Fed> write_to_pipe(int pipe, std::string_view bytes) {
  Fed result;
  while (!bytes.empty()) {
    auto n = ::write(pipe, bytes.data(), bytes.size());
    if (n >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(n));
      result.bytes += static_cast<std::uint64_t>(n);
    } else if (errno == EAGAIN) {
      result.state = Feeding::pipe_full;
      return result;
    } else if (errno == EPIPE) {
      result.state = Feeding::closed;
      return result;
    } else if (errno != EINTR) {
      return Error{Errc::io,
                   std::string{"cannot write to the program's standard "
                               "input: "}
                       + std::strerror(errno)};
    }
  }
  return result;
}

TextInput::TextInput(std::string text) : text_(std::move(text)) {
}

Result<Fed> TextInput::feed(int pipe) {
  auto rest = std::string_view{text_}.substr(position_);
  auto part = rest.substr(0, feed_bytes_max);
  auto fed = write_to_pipe(pipe, part);
  if (!fed)
    return fed;
  position_ += fed->bytes;
  if (fed->state == Feeding::finished && part.size() < rest.size())
    fed->state = Feeding::pipe_full;
  return fed;
}

} // namespace stoker::executor
