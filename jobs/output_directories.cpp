#include "jobs/output_directories.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "executor/part_file.hpp"
#include "process/unique_fd.hpp"

namespace stoker {

namespace {

Error problem(const char* what, const std::string& path) {
  return {Errc::io, std::string{"cannot "} + what + ' ' + path + ": "
                        + std::strerror(errno)};
}

} // namespace

OutputDirectories::OutputDirectories(const JobWork& work) {
  for (const auto& stage : work.job().stages)
    if (auto x = work.describe(stage.id); x.output == TaskOutputKind::file)
      wanted_.push_back(x.directory);
}

OutputDirectories::~OutputDirectories() {
  remove();
}

Status OutputDirectories::create() {
  for (const auto& path : wanted_) {
    if (::mkdir(path.c_str(), 0777) != 0)
      return problem("create the output directory", path);
    created_.push_back(path);
  }
  return {};
}

Status OutputDirectories::complete() {
  for (const auto& path : created_) {
    executor::remove_unfinished_parts(path);
    auto marker = path + "/_SUCCESS";
    process::UniqueFd file{
        ::open(marker.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666)};
    if (!file)
      return problem("write", marker);
  }
  created_.clear();
  return {};
}

void OutputDirectories::remove() {
  std::error_code ignored;
  for (const auto& path : created_)
    std::filesystem::remove_all(path, ignored);
  created_.clear();
}

} // namespace stoker
