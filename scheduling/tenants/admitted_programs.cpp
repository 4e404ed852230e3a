#include "scheduling/tenants/admitted_programs.hpp"

#include <cassert>
#include <cstddef>

namespace stoker {

namespace {

/// Whether it keeps others waiting.
int count_of(const AdmittedProgram& program) {
  return program.waits == Waits::for_room ? 1 : 0;
}

} // namespace

void AdmittedPrograms::add(ProgramKey key, const AdmittedProgram& program) {
  auto is_new = programs_.emplace(key, program).second;
  assert(is_new);
  (void)is_new;
  waiting_ += count_of(program);
  idle_ += program.idle();
  refresh_growing(key, program);
}

AdmittedProgram AdmittedPrograms::take(ProgramKey key) {
  auto i = programs_.find(key);
  assert(i != programs_.end());
  auto result = i->second;
  programs_.erase(i);
  waiting_ -= count_of(result);
  idle_ -= result.idle();
  growing_[result.member.user].erase({result.selection, key});
  driven_[result.member.user].erase({result.selection, key});
  return result;
}

const AdmittedProgram* AdmittedPrograms::find(ProgramKey key) const {
  auto i = programs_.find(key);
  return i == programs_.end() ? nullptr : &i->second;
}

template <class Change>
void AdmittedPrograms::change(ProgramKey key, Change change) {
  auto& program = programs_.at(key);
  waiting_ -= count_of(program);
  idle_ -= program.idle();
  change(program);
  waiting_ += count_of(program);
  idle_ += program.idle();
  refresh_growing(key, program);
}

void AdmittedPrograms::set_request(ProgramKey key, Resources request) {
  change(key, [&](AdmittedProgram& program) { program.request = request; });
}

void AdmittedPrograms::set_wanted(ProgramKey key, Resources wanted,
                                  Resources unit) {
  change(key, [&](AdmittedProgram& program) {
    program.wanted = wanted;
    program.unit = unit;
  });
}

void AdmittedPrograms::set_running(ProgramKey key, Resources running) {
  change(key, [&](AdmittedProgram& program) { program.running = running; });
}

void AdmittedPrograms::set_waiting(ProgramKey key, Waits waits) {
  change(key, [&](AdmittedProgram& program) { program.waits = waits; });
}

void AdmittedPrograms::refresh_growing(ProgramKey key,
                                       const AdmittedProgram& program) {
  std::pair entry{program.selection, key};
  auto set_present = [&](Growing& among, bool is_present) {
    if (is_present)
      among.insert(entry);
    else
      among.erase(entry);
  };
  set_present(growing_[program.member.user], program.grows());
  set_present(driven_[program.member.user], program.is_driven());
}

std::optional<std::string> AdmittedPrograms::invariant_violation() const {
  std::int64_t waiting = 0;
  Resources idle;
  std::size_t growing = 0;
  std::size_t driven = 0;
  for (const auto& [key, program] : programs_) {
    waiting += count_of(program);
    idle += program.idle();
    std::pair entry{program.selection, key};
    growing += program.grows() ? 1 : 0;
    driven += program.is_driven() ? 1 : 0;
    if (program.grows() && !growing_[program.member.user].contains(entry))
      return name_of(key) + " wants more, and is not among those that grow";
    if (program.is_driven() && !driven_[program.member.user].contains(entry))
      return name_of(key) + " is not among those that are driven";
  }
  for (const auto& x : growing_)
    growing -= x.size();
  for (const auto& x : driven_)
    driven -= x.size();
  if (growing != 0)
    return "an application grows that wants no more";
  if (driven != 0)
    return "an application is driven that has executors or no driver";
  if (waiting != waiting_)
    return "the number of applications that wait for room is wrong";
  if (idle != idle_)
    return "the sum of what is idle is wrong";
  return std::nullopt;
}

} // namespace stoker
