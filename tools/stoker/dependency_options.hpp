#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "messages/descriptions.hpp"

namespace stoker {

/// After whose end something starts, as users name them.
struct DependencyOptions {
  std::vector<std::string> after;

  /// Those that have to succeed.
  std::vector<std::string> after_ok;
};

void add_dependency_options(CLI::App& app, DependencyOptions& target);

/// @throws CommandError: one is the id of no application or driver
std::vector<Dependency> dependencies_of(const DependencyOptions& options);

} // namespace stoker
