#pragma once

#include <stdlib.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

namespace stoker::test {

/// A directory of its own, deleted with this object.
class TemporaryDirectory {
public:
  TemporaryDirectory() {
    path_ = (std::filesystem::temp_directory_path() / "stoker-test-XXXXXX")
                .string();
    if (::mkdtemp(path_.data()) == nullptr)
      throw std::runtime_error{"no temporary directory"};
  }

  ~TemporaryDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  [[nodiscard]] std::string path(const std::string& name) const {
    return path_ + '/' + name;
  }

  /// Writes a file and returns its path.
  std::string write(const std::string& name, const std::string& content) const {
    std::ofstream{path(name)} << content;
    return path(name);
  }

  [[nodiscard]] std::string read(const std::string& name) const {
    std::ifstream in{path(name)};
    return {std::istreambuf_iterator<char>{in}, {}};
  }

private:
  std::string path_;
};

/// The permissions of a file or directory, as chmod takes them.
inline unsigned mode_of(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0)
    throw std::runtime_error{"there is no " + path};
  return status.st_mode & 07777U;
}

} // namespace stoker::test
