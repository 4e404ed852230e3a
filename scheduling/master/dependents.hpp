#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <variant>
#include <vector>

#include "messages/descriptions.hpp"
#include "scheduling/common/keys.hpp"

namespace stoker {

/// What others may wait for.
using AwaitedId = std::variant<AppId, DriverId>;

/// @pre The dependency has one id.
[[nodiscard]] AwaitedId awaited(const Dependency& x);

/// Who waits for others to end.
using Dependent = std::variant<AppKey, DriverKey>;

/// Who waits for whom, by what is waited for.
class Dependents {
public:
  void add(Dependent who, const std::vector<Dependency>& waits_for);
  void remove(Dependent who, const std::vector<Dependency>& waits_for);

  /// Applications first, each kind in order of arrival.
  [[nodiscard]] std::vector<Dependent> of(const AwaitedId& id) const;

  [[nodiscard]] bool contains(Dependent who, const AwaitedId& id) const;

  /// Pairs of one that waits and one that is waited for.
  [[nodiscard]] std::size_t size() const noexcept {
    return size_;
  }

private:
  std::map<AwaitedId, std::set<Dependent>> by_awaited_;
  std::size_t size_ = 0;
};

} // namespace stoker
