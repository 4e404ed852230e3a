#include "tools/stoker/exported_environment.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "embedding/inherited_environment.hpp"

namespace stoker {

namespace {

using Environment = std::map<std::string, std::string>;

constexpr std::array<std::string_view, 5> of_the_shell{"PATH", "PWD", "OLDPWD",
                                                       "SHLVL", "_"};

bool makes_sense_elsewhere(const std::string& name) {
  // Functions of a shell are in its environment, too.
  return !name.starts_with("STOKER_") && !name.starts_with("BASH_FUNC_")
         && std::find(of_the_shell.begin(), of_the_shell.end(), name)
                == of_the_shell.end();
}

} // namespace

Environment variables_of(const char* const* environment) {
  Environment result;
  for (const auto* const* x = environment; x != nullptr && *x != nullptr; ++x) {
    std::string_view text{*x};
    auto equals = text.find('=');
    if (equals != 0 && equals != std::string_view::npos)
      result.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return result;
}

Result<Environment> exported_environment(const std::vector<std::string>& wanted,
                                         const Environment& own) {
  Environment result;
  for (const auto& text : wanted) {
    auto equals = text.find('=');
    auto name = text.substr(0, equals);
    if (text == "NONE") {
      result.clear();
    } else if (text == "ALL") {
      for (const auto& [key, value] : own)
        if (makes_sense_elsewhere(key))
          result[key] = value;
    } else if (text.empty()) {
      return invalid("--export: it is empty; it takes ALL, NONE, NAME=VALUE or "
                     "the name of a variable that is set here");
    } else if (name.empty()
               || (equals == std::string::npos && !own.contains(name))) {
      // Whoever forgot the name may have written a secret.
      return invalid("--export: '" + (name.empty() ? "=..." : name)
                     + "' is neither ALL, NONE, NAME=VALUE nor the name of a "
                       "variable that is set here");
    } else if (name.find(',') != std::string::npos) {
      // Slurm takes a list there.
      return invalid("--export: '" + name
                     + "=...' is not one variable; repeat --export for each");
    } else {
      result[name] = equals == std::string::npos ? own.at(name)
                                                 : text.substr(equals + 1);
    }
  }
  return result;
}

void add_passed_variables_option(CLI::App& app,
                                 std::vector<std::string>& target) {
  add_list_option(app, "--pass-env", target,
                  "A variable that programs find besides PATH, HOME and the "
                  "like, or PREFIX*, or ALL; may be repeated",
                  check_passed_variable)
      ->envname("STOKER_WORKER_PASS_ENV")
      ->type_name("NAME")
      ->delimiter(',');
}

} // namespace stoker
