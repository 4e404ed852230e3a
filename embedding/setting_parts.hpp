#pragma once

// What settings with a name of their own are made of, for the files that say which there
// are.

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "embedding/settings.hpp"
#include "scheduling/allocation/allocation_settings.hpp"
#include "scheduling/common/units.hpp"

namespace stoker {

/// Takes a value; returns what was expected instead, if it is wrong.
using Setter = std::function<std::optional<std::string>(const std::string&)>;
using Setters = std::map<std::string, Setter>;

/// Settings whose names have the name of a resource in them: PREFIX.NAME.WHAT.
struct ResourceSetters {
  std::string prefix;

  /// By WHAT: takes the NAME.
  std::map<std::string, std::function<Setter(const std::string&)>> of;
};

/// What one part of the program takes.
struct SettingPart {
  Setters exact;
  std::optional<ResourceSetters> resources;

  /// Empty: it does not take this name.
  [[nodiscard]] Setter find(const std::string& name) const;
};

/// Sets what `settings` say in all parts that know them.
Status apply_settings(const std::vector<Setting>& settings,
                      const std::vector<SettingPart>& parts);

/// Sorted. NAME stands for a resource's.
std::vector<std::string> names_in(const std::vector<SettingPart>& parts);

/// What each application takes.
SettingPart application_part(ApplicationDescription& x);

/// spark.dynamicAllocation.* and what decides with them.
Setters allocation_setters(AllocationSettings& x);

/// Says in `application` with how many executors it begins.
Status begin_allocation(const AllocationSettings& allocation,
                        ApplicationDescription& application);

namespace setters {

template <class T, class Parse>
Setter setter(T& target, Parse parse, const char* expected) {
  return [&target, parse,
          expected](const std::string& text) -> std::optional<std::string> {
    auto value = parse(text);
    if (!value)
      return expected;
    target = *value;
    return std::nullopt;
  };
}

template <class T>
Setter count(T& target) {
  return setter(target, parse_count, "a whole number");
}

template <class T>
Setter memory(T& target) {
  return setter(target, parse_memory_mb, "a memory size like 512m or 4g");
}

inline Setter duration(Duration& target) {
  return setter(target, parse_duration, "a duration like 15s or 500ms");
}

inline Setter flag(bool& target) {
  return setter(target, parse_flag, "true or false");
}

inline Setter text(std::string& target) {
  return setter(
      target, [](const std::string& x) { return std::optional{x}; }, "a text");
}

inline Setter fraction(double& target) {
  return setter(target, parse_fraction, "a number like 0.75");
}

} // namespace setters

} // namespace stoker
