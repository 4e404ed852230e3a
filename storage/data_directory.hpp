#pragma once

#include <memory>
#include <string>
#include <variant>

namespace stoker {

/// A master's directory, closed to others (0700) and locked against a second
/// master for as long as this object lives. The kernel ends the lock with the
/// process, however that ends.
class DataDirectory {
public:
  /// Why it cannot be had.
  struct Problem {
    /// One line.
    std::string sentence;

    /// Another master has it: it may be had later.
    bool in_use = false;
  };

  /// Creates it if need be, and locks it, if no other master has.
  static std::variant<DataDirectory, Problem> open(const std::string& path);

  DataDirectory(DataDirectory&& other) noexcept;
  DataDirectory& operator=(DataDirectory&&) = delete;
  ~DataDirectory();

  /// Whether another master would still find it locked. Not so when the lock's
  /// file, or the directory, was removed or replaced.
  [[nodiscard]] bool is_locked() const;

  [[nodiscard]] const std::string& path() const noexcept {
    return path_;
  }

private:
  DataDirectory(std::string path, int lock);

  std::string path_;
  int lock_ = -1;
};

} // namespace stoker
