#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

#include "messages/result.hpp"

namespace stoker::jobs {

/// A directory that goes with this object.
class OwnDirectory {
public:
  OwnDirectory() = default;
  ~OwnDirectory() {
    std::error_code ignored;
    if (!path_.empty())
      std::filesystem::remove_all(path_, ignored);
  }

  OwnDirectory(const OwnDirectory&) = delete;
  OwnDirectory& operator=(const OwnDirectory&) = delete;

  Result<std::string> make() {
    // Not in the directory for temporary files: paths of sockets are short.
    std::string name = "/tmp/stoker-XXXXXX";
    if (::mkdtemp(name.data()) == nullptr)
      return Error{Errc::io, "cannot make a directory like " + name};
    path_ = name;
    return name;
  }

private:
  std::string path_;
};

} // namespace stoker::jobs
