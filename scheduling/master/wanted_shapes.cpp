#include "scheduling/master/wanted_shapes.hpp"

#include <cstddef>
#include <utility>

namespace stoker {

bool WantedShapes::set(ProgramKey program, ExecutorShape shape,
                       const Capacity& capacity) {
  const auto* present = find(program);
  if (present != nullptr && *present == shape)
    return shapes_.at(shape).holdable;
  erase(program);
  auto [i, added] = shapes_.try_emplace(shape);
  if (added)
    i->second.holdable = capacity.could_hold(shape.size, shape.needs);
  i->second.programs.insert(program);
  of_program_.emplace(program, std::move(shape));
  return i->second.holdable;
}

void WantedShapes::erase(ProgramKey program) {
  auto i = of_program_.find(program);
  if (i == of_program_.end())
    return;
  auto shape = shapes_.find(i->second);
  shape->second.programs.erase(program);
  if (shape->second.programs.empty())
    shapes_.erase(shape);
  of_program_.erase(i);
}

std::vector<ProgramKey>
WantedShapes::workers_changed(const Capacity& capacity) {
  std::vector<ProgramKey> result;
  if (std::exchange(version_, capacity.workers_version())
      == capacity.workers_version())
    return result;
  for (auto& [shape, wanted] : shapes_) {
    auto before = std::exchange(wanted.holdable,
                                capacity.could_hold(shape.size, shape.needs));
    if (!before || !wanted.holdable)
      result.insert(result.end(), wanted.programs.begin(),
                    wanted.programs.end());
  }
  return result;
}

const ExecutorShape* WantedShapes::find(ProgramKey program) const {
  auto i = of_program_.find(program);
  return i == of_program_.end() ? nullptr : &i->second;
}

std::optional<std::string> WantedShapes::invariant_violation() const {
  std::size_t programs = 0;
  for (const auto& [shape, wanted] : shapes_) {
    if (wanted.programs.empty())
      return "a shape is kept that nobody wants";
    for (auto program : wanted.programs)
      if (const auto* of_program = find(program);
          of_program == nullptr || *of_program != shape)
        return "one is under a shape that it does not want";
    programs += wanted.programs.size();
  }
  if (programs != of_program_.size())
    return "one wants a shape that does not know it";
  return std::nullopt;
}

} // namespace stoker
