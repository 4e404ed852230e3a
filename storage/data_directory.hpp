#pragma once

#include <memory>
#include <string>
#include <variant>

namespace stoker {

/// A master's directory, closed to others (0700) and locked against a second
/// master for as long as this object lives.
class DataDirectory {
public:
  /// Creates it if need be. Returns what is wrong, in one line, when it cannot
  /// be written or another master has it.
  static std::variant<DataDirectory, std::string> open(const std::string& path);

  DataDirectory(DataDirectory&& other) noexcept;
  DataDirectory& operator=(DataDirectory&&) = delete;
  ~DataDirectory();

  [[nodiscard]] const std::string& path() const noexcept {
    return path_;
  }

private:
  DataDirectory(std::string path, int lock);

  std::string path_;
  int lock_ = -1;
};

} // namespace stoker
