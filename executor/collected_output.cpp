#include "executor/collected_output.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "executor/file_writing.hpp"

namespace stoker::executor {

namespace {

std::string name_of_file_in(const std::string& directory) {
  return "a result to a file in " + directory;
}

} // namespace

CollectedOutput::CollectedOutput(CollectedOutputLimits limits)
    : limits_(std::move(limits)) {
}

Status CollectedOutput::append(std::string_view bytes) {
  if (bytes.size() > limits_.total - size_)
    return Error{Errc::failed, "the output has more than "
                                   + std::to_string(limits_.total)
                                   + " bytes, which a result may have"};
  if (!file_ && size_ + bytes.size() > limits_.memory)
    if (auto opened = open_file(); !opened)
      return opened;
  if (!file_)
    memory_.append(bytes);
  else if (auto written = write_to_file(file_.get(), bytes,
                                        name_of_file_in(limits_.directory));
           !written)
    return written;
  size_ += bytes.size();
  return {};
}

Status CollectedOutput::finish() {
  return {};
}

Result<std::size_t> CollectedOutput::read(std::uint64_t offset,
                                          std::span<char> buffer) const {
  if (offset >= size_)
    return std::size_t{0};
  auto bytes = static_cast<std::size_t>(
      std::min<std::uint64_t>(buffer.size(), size_ - offset));
  if (!file_) {
    std::memcpy(buffer.data(), memory_.data() + offset, bytes);
    return bytes;
  }
  for (std::size_t done = 0; done < bytes;) {
    auto n = ::pread(file_.get(), buffer.data() + done, bytes - done,
                     static_cast<off_t>(offset + done));
    if (n > 0)
      done += static_cast<std::size_t>(n);
    else if (n == 0 || errno != EINTR)
      return Error{Errc::io, "cannot read a result from a file in "
                                 + limits_.directory + ": "
                                 + std::strerror(n == 0 ? EIO : errno)};
  }
  return bytes;
}

Result<std::string> CollectedOutput::text() const {
  std::string result(static_cast<std::size_t>(size_), '\0');
  auto n = read(0, result);
  if (!n)
    return std::move(n).error();
  return result;
}

Status CollectedOutput::open_file() {
  file_ = open_unnamed_file(limits_.directory);
  auto name = name_of_file_in(limits_.directory);
  if (!file_)
    return cannot_write(name, errno);
  auto written = write_to_file(file_.get(), memory_, name);
  std::string{}.swap(memory_);
  return written;
}

} // namespace stoker::executor
