#include "jobs/file_splits.hpp"

#include <fcntl.h>
#include <glob.h>
#include <sys/stat.h>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <cstring>
#include <set>
#include <utility>

#include "process/unique_fd.hpp"
#include "scheduling/jobs/stage_spec.hpp"

namespace stoker {

namespace {

/// What glob(3) found, and its end.
class GlobMatches {
public:
  explicit GlobMatches(const std::string& pattern)
      : status_(::glob(pattern.c_str(), GLOB_NOSORT, &ends, &found_)) {
  }

  ~GlobMatches() {
    ::globfree(&found_);
  }

  GlobMatches(const GlobMatches&) = delete;
  GlobMatches& operator=(const GlobMatches&) = delete;

  [[nodiscard]] int status() const noexcept {
    return status_;
  }

  [[nodiscard]] std::vector<std::string> sorted() const {
    std::vector<std::string> result(found_.gl_pathv,
                                    found_.gl_pathv + found_.gl_pathc);
    // glob(3) would sort by the language of whoever calls.
    std::sort(result.begin(), result.end());
    return result;
  }

private:
  /// Whether a directory that cannot be read ends the search.
  static int ends(const char*, int error) {
    return error == ENOENT ? 0 : 1;
  }

  glob_t found_{};
  int status_;
};

/// The pattern that matches a name and nothing else.
std::string escaped(const std::string& name) {
  std::string result;
  for (auto c : name) {
    if (std::strchr("*?[]\\", c) != nullptr)
      result += '\\';
    result += c;
  }
  return result;
}

Result<std::vector<std::string>> match(const std::string& glob,
                                       const std::string& directory) {
  auto pattern = glob.starts_with('/') ? glob : escaped(directory) + '/' + glob;
  GlobMatches matches{pattern};
  switch (matches.status()) {
  case 0:
    return matches.sorted();
  case GLOB_NOMATCH:
    return invalid("no file matches '" + glob + "'");
  case GLOB_ABORTED:
    return invalid("a directory of '" + glob + "' cannot be read");
  default:
    return invalid("too many files match '" + glob + "'");
  }
}

Result<FoundFile> look_at(const std::string& path) {
  auto failed = [&] {
    return Error{Errc::unreadable,
                 "cannot read '" + path + "': " + std::strerror(errno)};
  };
  // Without waiting for who writes to it, if it is a pipe.
  process::UniqueFd file{
      ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)};
  if (!file)
    return failed();
  struct stat status {};
  if (::fstat(file.get(), &status) != 0)
    return failed();
  if (S_ISDIR(status.st_mode))
    return invalid("'" + path + "' is a directory; name files, as '" + path
                   + "/*'");
  if (!S_ISREG(status.st_mode))
    return invalid("'" + path + "' is no regular file");
  return FoundFile{path, status.st_size};
}

} // namespace

Result<FileSplits> FileSplits::cut(std::vector<FoundFile> files,
                                   std::int64_t split_bytes,
                                   const std::string& size_name) {
  assert(!files.empty() && split_bytes > 0);
  FileSplits result;
  result.split_bytes_ = split_bytes;
  std::int64_t tasks = 0;
  for (auto& file : files) {
    auto count = file.bytes / split_bytes + (file.bytes % split_bytes > 0);
    if (count > tasks_max - tasks)
      return invalid("its files make more than " + std::to_string(tasks_max)
                     + " tasks; make " + size_name + " larger");
    if (count > 0)
      result.parts_.push_back({std::move(file), static_cast<int>(tasks)});
    tasks += count;
  }
  if (tasks == 0) {
    result.parts_.push_back({std::move(files.front()), 0});
    tasks = 1;
  }
  result.tasks_ = static_cast<int>(tasks);
  return result;
}

InputSplit FileSplits::split(int task) const {
  assert(task >= 0 && task < tasks_);
  auto next = std::upper_bound(
      parts_.begin(), parts_.end(), task,
      [](int number, const Part& x) { return number < x.first_task; });
  const auto& part = *std::prev(next);
  auto begin = (task - part.first_task) * split_bytes_;
  return {part.file.path, begin,
          begin + std::min(split_bytes_, part.file.bytes - begin)};
}

Result<std::vector<FoundFile>> find_files(const std::vector<std::string>& globs,
                                          const std::string& directory) {
  std::vector<FoundFile> result;
  std::set<std::string> known;
  for (const auto& glob : globs) {
    auto paths = match(glob, directory);
    if (!paths)
      return std::move(paths).error();
    for (auto& path : *paths) {
      if (!known.insert(path).second)
        continue;
      auto file = look_at(path);
      if (!file)
        return std::move(file).error();
      result.push_back(*std::move(file));
    }
  }
  return result;
}

} // namespace stoker
