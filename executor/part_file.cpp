#include "executor/part_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cassert>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <utility>

#include "executor/file_writing.hpp"

namespace stoker::executor {

namespace {

constexpr auto temporary_prefix = ".part-";

/// Both names of a part.
struct PartNames {
  PartNames(const std::string& directory, std::int32_t part,
            const TaskAttempt& attempt) {
    char number[16];
    std::snprintf(number, sizeof number, "%05d", part);
    name = directory + "/part-" + number;
    temporary = directory + "/" + temporary_prefix + number + "."
                + to_string(attempt.stage) + "-" + std::to_string(attempt.task)
                + "-" + std::to_string(attempt.attempt);
  }

  std::string name;
  std::string temporary;
};

} // namespace

Result<std::shared_ptr<PartFile>> PartFile::create(const std::string& directory,
                                                   std::int32_t part,
                                                   const TaskAttempt& attempt) {
  auto [name, temporary] = PartNames{directory, part, attempt};
  process::UniqueFd file{
      ::open(temporary.c_str(),
             O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0666)};
  if (!file)
    return cannot_write(temporary, errno);
  return std::shared_ptr<PartFile>{
      new PartFile{std::move(name), std::move(temporary), std::move(file)}};
}

PartFile::PartFile(std::string name, std::string temporary,
                   process::UniqueFd file)
    : name_(std::move(name)), temporary_(std::move(temporary)),
      file_(std::move(file)) {
}

PartFile::~PartFile() {
  if (!committed_)
    ::unlink(temporary_.c_str());
}

Status PartFile::append(std::string_view bytes) {
  return write_to_file(file_.get(), bytes, temporary_);
}

Status PartFile::finish() {
  // Some file systems say only here that there was no space.
  auto error = ::close(file_.release()) == 0 ? 0 : errno;
  if (error != 0 && error != EINTR)
    return cannot_write(temporary_, error);
  finished_ = true;
  return {};
}

Status PartFile::commit() {
  assert(finished_);
  if (committed_)
    return {};
  if (::rename(temporary_.c_str(), name_.c_str()) != 0)
    return cannot_write(name_, errno);
  committed_ = true;
  return {};
}

void PartFile::hand_over() {
  assert(finished_);
  committed_ = true;
}

Status commit_part(const std::string& directory, std::int32_t part,
                   const TaskAttempt& attempt) {
  PartNames names{directory, part, attempt};
  if (::rename(names.temporary.c_str(), names.name.c_str()) != 0)
    return cannot_write(names.name, errno);
  return {};
}

void remove_unfinished_parts(const std::string& directory) {
  namespace fs = std::filesystem;
  std::error_code error;
  for (fs::directory_iterator i{directory, error}, end; !error && i != end;
       i.increment(error))
    if (i->path().filename().string().starts_with(temporary_prefix)) {
      std::error_code ignored;
      fs::remove(i->path(), ignored);
    }
}

} // namespace stoker::executor
