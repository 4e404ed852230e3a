#include "tools/stoker/unfinished_line.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "executor/file_writing.hpp"
#include "tools/stoker/options.hpp"

namespace stoker {

bool UnfinishedLine::append(std::string_view text) {
  if (text_.size() + text.size() > memory_max && !spill())
    return false;
  text_ += text;
  return true;
}

bool UnfinishedLine::spill() {
  if (text_.empty())
    return true;
  if (!file_)
    file_ = executor::open_unnamed_file(temporary_directory());
  std::size_t written = 0;
  while (file_ && written < text_.size()) {
    auto n
        = ::pwrite(file_.get(), text_.data() + written, text_.size() - written,
                   in_file_ + static_cast<std::int64_t>(written));
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return false;
    written += static_cast<std::size_t>(n);
  }
  if (!file_)
    return false;
  in_file_ += static_cast<std::int64_t>(written);
  text_.clear();
  return true;
}

bool UnfinishedLine::take(const Write& write) {
  auto file = std::exchange(file_, {});
  auto rest = std::exchange(in_file_, 0);
  auto text = std::exchange(text_, {});
  std::string buffer(memory_max, '\0');
  for (std::int64_t done = 0; done < rest;) {
    auto n
        = ::pread(file.get(), buffer.data(),
                  static_cast<std::size_t>(std::min<std::int64_t>(
                      rest - done, static_cast<std::int64_t>(buffer.size()))),
                  done);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return false;
    write({buffer.data(), static_cast<std::size_t>(n)});
    done += n;
  }
  if (!text.empty())
    write(text);
  return true;
}

} // namespace stoker
