#pragma once

#include <string>

namespace stoker {

/// The file of a database that gets its name only when it is complete: until then it
/// stands beside that name, for its owner alone, and is removed with this object.
class NewDatabase {
public:
  /// @throws StoreFailure
  explicit NewDatabase(const std::string& path);

  ~NewDatabase();

  NewDatabase(const NewDatabase&) = delete;
  NewDatabase& operator=(const NewDatabase&) = delete;

  /// Where it is until then: an empty file at first.
  [[nodiscard]] const std::string& file() const noexcept {
    return file_;
  }

  /// Gives it its name, for good. It must be synced. False: there is a file of this
  /// name, which stays as it is.
  /// @throws StoreFailure
  bool publish();

private:
  std::string path_;
  std::string file_;
};

} // namespace stoker
