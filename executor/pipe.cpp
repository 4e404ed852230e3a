#include "executor/pipe.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

namespace stoker::executor {

int open_pipe(Pipe& pipe, OwnEnd own) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    return errno;
  pipe = {process::UniqueFd{ends[0]}, process::UniqueFd{ends[1]}};
  auto end = own == OwnEnd::read ? ends[0] : ends[1];
  return ::fcntl(end, F_SETFL, O_NONBLOCK) == 0 ? 0 : errno;
}

void enlarge_pipe(int end) {
  ::fcntl(end, F_SETPIPE_SZ, static_cast<int>(busy_pipe_bytes));
}

} // namespace stoker::executor
