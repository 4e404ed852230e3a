#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>

namespace stoker {

/// Returns true if this identity has a share by default: a user. Operators, nodes and peers
/// without an identity may take all places.
inline bool has_share(std::string_view identity) {
  return identity.starts_with("user ");
}

/// A limited number of places, counted by identity. A limited identity gets at most half, and no
/// further place while it has more than are free, so several identities do not take all.
class Shares {
public:
  /// @param is_limited whether an identity has a share alone; others may take all
  explicit Shares(std::size_t max,
                  bool (*is_limited)(std::string_view) = has_share)
      : max_(max), is_limited_(is_limited) {
  }

  /// Whether there is one for that identity, such as "user ann".
  [[nodiscard]] bool has_place_for(const std::string& identity) const {
    if (taken_ >= max_)
      return false;
    auto own = taken_by(identity);
    return own < share() && own <= free();
  }

  /// @pre has_place_for(identity)
  void take(const std::string& identity) {
    ++taken_;
    if (is_limited_(identity))
      ++of_limited_[identity];
  }

  /// @pre It was taken.
  void release(const std::string& identity) {
    --taken_;
    auto own = of_limited_.find(identity);
    if (own != of_limited_.end() && --own->second == 0)
      of_limited_.erase(own);
  }

  [[nodiscard]] std::size_t max() const noexcept {
    return max_;
  }
  [[nodiscard]] std::size_t free() const noexcept {
    return max_ - taken_;
  }

  /// The most that a limited identity gets.
  [[nodiscard]] std::size_t share() const noexcept {
    return std::max<std::size_t>(max_ / 2, 1);
  }

  /// Returns how many places a limited identity has; 0 for others.
  [[nodiscard]] std::size_t taken_by(const std::string& identity) const {
    auto own = of_limited_.find(identity);
    return own == of_limited_.end() ? 0 : own->second;
  }

private:
  std::size_t max_;
  bool (*is_limited_)(std::string_view);
  std::size_t taken_ = 0;
  std::map<std::string, std::size_t> of_limited_;
};

} // namespace stoker
