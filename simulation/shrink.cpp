#include "simulation/shrink.hpp"

#include <algorithm>
#include <utility>

namespace stoker::simulation {

namespace {

using Offset = std::vector<Item>::difference_type;

/// Without the items of a range.
Scenario without(const Scenario& x, std::size_t begin, std::size_t end) {
  auto result = x;
  result.items.erase(result.items.begin() + static_cast<Offset>(begin),
                     result.items.begin() + static_cast<Offset>(end));
  return result;
}

} // namespace

Scenario shrink(Scenario x, const std::function<bool(const Scenario&)>& fails,
                std::size_t attempts) {
  auto adopt = [&](Scenario candidate) {
    if (attempts == 0)
      return false;
    --attempts;
    if (!fails(candidate))
      return false;
    x = std::move(candidate);
    return true;
  };
  for (auto masters = 1; masters < x.masters; ++masters) {
    auto fewer = x;
    fewer.masters = masters;
    if (adopt(std::move(fewer)))
      break;
  }
  // Halves first, then ever smaller parts, until single items cannot go.
  for (auto size = std::max<std::size_t>(x.items.size() / 2, 1); size > 0;
       size /= 2)
    for (auto again = true; again;) {
      again = false;
      for (std::size_t i = 0; i < x.items.size();) {
        auto end = std::min(i + size, x.items.size());
        if (adopt(without(x, i, end)))
          again = size == 1;
        else
          i = end;
      }
    }
  return x;
}

} // namespace stoker::simulation
