#pragma once

#include <map>
#include <optional>
#include <set>
#include <vector>

#include "messages/instant.hpp"
#include "storage/file_store.hpp"

namespace stoker {

/// Whole files, and when each was needed last: what nobody has needed for an hour may go.
class FileUses {
public:
  static constexpr Duration kept = std::chrono::hours{1};

  /// There are these, and no others; they may have been needed just now.
  void reset(const std::vector<FileKey>& files, Instant now) {
    last_.clear();
    for (const auto& x : files)
      last_[x] = now;
  }

  void add(const FileKey& x, Instant now) {
    last_[x] = now;
  }

  void remove(const FileKey& x) {
    last_.erase(x);
  }

  [[nodiscard]] bool contains(const FileKey& x) const {
    return last_.contains(x);
  }

  /// What is not here is ignored.
  void use(const FileKey& x, Instant now) {
    if (auto i = last_.find(x); i != last_.end())
      i->second = now;
  }

  /// Forgets what nobody has needed for long, and returns it.
  [[nodiscard]] std::vector<FileKey> take_old(Instant now) {
    std::vector<FileKey> result;
    for (auto i = last_.begin(); i != last_.end();)
      if (i->second + kept <= now) {
        result.push_back(i->first);
        i = last_.erase(i);
      } else {
        ++i;
      }
    return result;
  }

  /// Forgets the one that nobody has needed for longest, but none of these, and returns
  /// it.
  [[nodiscard]] std::optional<FileKey>
  take_oldest(const std::set<FileKey>& needed) {
    auto oldest = last_.end();
    for (auto i = last_.begin(); i != last_.end(); ++i)
      if (!needed.contains(i->first)
          && (oldest == last_.end() || i->second < oldest->second))
        oldest = i;
    if (oldest == last_.end())
      return std::nullopt;
    auto result = oldest->first;
    last_.erase(oldest);
    return result;
  }

private:
  std::map<FileKey, Instant> last_;
};

} // namespace stoker
