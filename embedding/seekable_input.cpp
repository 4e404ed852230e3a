#include "embedding/seekable_input.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "embedding/spooled_input.hpp"

namespace stoker {

namespace {

Error cannot_read(const std::string& why) {
  return {Errc::unreadable, "cannot read standard input: " + why};
}

/// A regular file.
class FileInput : public SeekableInput {
public:
  /// @param least bytes that there were when it was opened
  FileInput(int descriptor, off_t start, std::int64_t least)
      : descriptor_(descriptor), start_(start), least_(least) {
  }

  Result<InputPart> read(std::int64_t offset, std::size_t at_most) override {
    InputPart result;
    auto left = end_ ? *end_ - offset : static_cast<std::int64_t>(at_most);
    auto wanted = std::min(
        at_most, static_cast<std::size_t>(std::max<std::int64_t>(left, 0)));
    result.data.resize(wanted);
    std::size_t size = 0;
    while (size < wanted) {
      auto n = ::pread(descriptor_, result.data.data() + size, wanted - size,
                       start_ + offset + static_cast<std::int64_t>(size));
      if (n < 0 && errno == EINTR)
        continue;
      if (n < 0)
        return cannot_read(std::strerror(errno));
      if (n == 0)
        break;
      size += static_cast<std::size_t>(n);
    }
    result.data.resize(size);
    auto next = offset + static_cast<std::int64_t>(size);
    if (size < wanted && (end_ || next < least_))
      return cannot_read("the file has become shorter");
    // All read the same, also if it grows.
    if (size < wanted)
      end_ = next;
    result.end = end_ && next >= *end_;
    return result;
  }

private:
  int descriptor_;
  off_t start_;
  std::int64_t least_;

  /// Where it ended when somebody came there.
  std::optional<std::int64_t> end_;
};

} // namespace

Result<std::unique_ptr<SeekableInput>>
open_seekable_input(int descriptor, const std::string& directory) {
  struct stat status {};
  if (::fstat(descriptor, &status) != 0)
    return cannot_read(std::strerror(errno));
  // A standard input that is closed is one, too, so that nothing else takes its number.
  auto flags = ::fcntl(descriptor, F_GETFL);
  if (flags == -1 || (flags & O_ACCMODE) == O_WRONLY)
    return cannot_read(std::strerror(EBADF));
  if (S_ISDIR(status.st_mode))
    return cannot_read(std::strerror(EISDIR));
  if (!S_ISREG(status.st_mode))
    return spool_input(descriptor, directory);
  auto start = ::lseek(descriptor, 0, SEEK_CUR);
  if (start < 0)
    return cannot_read(std::strerror(errno));
  return std::unique_ptr<SeekableInput>{
      std::make_unique<FileInput>(descriptor, start, status.st_size - start)};
}

} // namespace stoker
