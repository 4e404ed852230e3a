#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "messages/result.hpp"

namespace stoker {

/// Files that appear all together or not at all, and never in place of others.
/// Each is complete when it gets its name, and was never open to more people
/// than its mode says.
class NewFiles {
public:
  NewFiles() = default;

  /// Removes what was prepared but has not been published.
  ~NewFiles();

  NewFiles(const NewFiles&) = delete;
  NewFiles& operator=(const NewFiles&) = delete;

  /// Writes a file beside `path`, under a temporary name.
  Status prepare(const std::string& path, const std::string& contents,
                 mode_t mode);

  /// Gives all files their names, in the order of preparation; if that fails, none
  /// of the names is taken.
  Status publish();

private:
  struct File {
    std::string path;
    std::string temporary;
  };

  std::vector<File> files_;
};

} // namespace stoker
