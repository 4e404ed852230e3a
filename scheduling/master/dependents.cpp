#include "scheduling/master/dependents.hpp"

namespace stoker {

AwaitedId awaited(const Dependency& x) {
  return x.app ? AwaitedId{*x.app} : AwaitedId{x.driver.value()};
}

void Dependents::add(Dependent who, const std::vector<Dependency>& waits_for) {
  for (const auto& x : waits_for)
    size_ += by_awaited_[awaited(x)].insert(who).second ? 1U : 0U;
}

void Dependents::remove(Dependent who,
                        const std::vector<Dependency>& waits_for) {
  for (const auto& x : waits_for) {
    auto i = by_awaited_.find(awaited(x));
    if (i == by_awaited_.end())
      continue;
    size_ -= i->second.erase(who);
    if (i->second.empty())
      by_awaited_.erase(i);
  }
}

std::vector<Dependent> Dependents::of(const AwaitedId& id) const {
  auto i = by_awaited_.find(id);
  return i == by_awaited_.end()
             ? std::vector<Dependent>{}
             : std::vector<Dependent>{i->second.begin(), i->second.end()};
}

bool Dependents::contains(Dependent who, const AwaitedId& id) const {
  auto i = by_awaited_.find(id);
  return i != by_awaited_.end() && i->second.contains(who);
}

} // namespace stoker
