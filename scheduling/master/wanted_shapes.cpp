#include "scheduling/master/wanted_shapes.hpp"

#include <cstddef>
#include <utility>

namespace stoker {

bool WantedShapes::set(AppKey app, ExecutorShape shape,
                       const Capacity& capacity) {
  const auto* present = find(app);
  if (present != nullptr && *present == shape)
    return shapes_.at(shape).holdable;
  erase(app);
  auto [i, added] = shapes_.try_emplace(shape);
  if (added)
    i->second.holdable = capacity.could_hold(shape.size, shape.needs);
  i->second.apps.insert(app);
  of_app_.emplace(app, std::move(shape));
  return i->second.holdable;
}

void WantedShapes::erase(AppKey app) {
  auto i = of_app_.find(app);
  if (i == of_app_.end())
    return;
  auto shape = shapes_.find(i->second);
  shape->second.apps.erase(app);
  if (shape->second.apps.empty())
    shapes_.erase(shape);
  of_app_.erase(i);
}

std::vector<AppKey> WantedShapes::workers_changed(const Capacity& capacity) {
  std::vector<AppKey> result;
  if (std::exchange(version_, capacity.workers_version())
      == capacity.workers_version())
    return result;
  for (auto& [shape, wanted] : shapes_) {
    auto before = std::exchange(wanted.holdable,
                                capacity.could_hold(shape.size, shape.needs));
    if (!before || !wanted.holdable)
      result.insert(result.end(), wanted.apps.begin(), wanted.apps.end());
  }
  return result;
}

const ExecutorShape* WantedShapes::find(AppKey app) const {
  auto i = of_app_.find(app);
  return i == of_app_.end() ? nullptr : &i->second;
}

std::optional<std::string> WantedShapes::invariant_violation() const {
  std::size_t apps = 0;
  for (const auto& [shape, wanted] : shapes_) {
    if (wanted.apps.empty())
      return "a shape is kept that nobody wants";
    for (auto app : wanted.apps)
      if (const auto* of_app = find(app); of_app == nullptr || *of_app != shape)
        return "an application is under a shape that it does not want";
    apps += wanted.apps.size();
  }
  if (apps != of_app_.size())
    return "an application wants a shape that does not know it";
  return std::nullopt;
}

} // namespace stoker
