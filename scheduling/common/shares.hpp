#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

namespace stoker {

/// Whether a share of what all have together is meant for this identity: a user's, who may be one
/// of many. Operators, nodes, and whoever proves nothing may take all.
inline bool has_share(std::string_view identity) {
  return identity.starts_with("user ");
}

/// Places of which there are so many, by who has them: no user gets more than half.
class Shares {
public:
  explicit Shares(std::size_t max) : max_(max) {
  }

  /// Whether there is one for that identity, such as "user ann".
  [[nodiscard]] bool has_place_for(const std::string& identity) const {
    if (taken_ >= max_)
      return false;
    auto own = of_users_.find(identity);
    return own == of_users_.end() || own->second < max_ / 2;
  }

  /// @pre has_place_for(identity)
  void take(const std::string& identity) {
    ++taken_;
    if (has_share(identity))
      ++of_users_[identity];
  }

  /// @pre It was taken.
  void release(const std::string& identity) {
    --taken_;
    auto own = of_users_.find(identity);
    if (own != of_users_.end() && --own->second == 0)
      of_users_.erase(own);
  }

private:
  std::size_t max_;
  std::size_t taken_ = 0;
  std::map<std::string, std::size_t> of_users_;
};

} // namespace stoker
