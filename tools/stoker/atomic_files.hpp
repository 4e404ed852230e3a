#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

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

  /// Writes a file beside `path`, under a temporary name. Returns what is
  /// wrong, in one line, or nothing.
  std::optional<std::string> prepare(const std::string& path,
                                     const std::string& contents, mode_t mode);

  /// Gives all files their names, in the order of preparation. Returns what is
  /// wrong, in one line, or nothing; none of the names is taken then.
  std::optional<std::string> publish();

private:
  struct File {
    std::string path;
    std::string temporary;
  };

  std::vector<File> files_;
};

} // namespace stoker
