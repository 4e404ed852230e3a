#include "tools/stoker/option_defaults.hpp"

#include <map>
#include <optional>

#include "tools/stoker/command_error.hpp"
#include "tools/stoker/command_parser.hpp"
#include "tools/stoker/config_names.hpp"
#include "tools/stoker/exit_codes.hpp"

namespace stoker {

namespace {

bool is_flag(const CLI::Option& x) {
  return x.get_items_expected_max() == 0;
}

/// A flag that is false is as good as none.
bool has_value(const CLI::Option& x) {
  return x.count() > 0 && !(is_flag(x) && x.results().back() == "false");
}

bool has_value(const CLI::App& app, const std::string& option) {
  const auto* found = app.get_option_no_throw(option);
  return found != nullptr && has_value(*found);
}

/// What a pair names besides this one. Nothing: this one is not in the pair.
std::optional<std::string> other_of(const OptionExclusion& pair,
                                    const std::string& option) {
  if (pair.option == option)
    return pair.other;
  if (!pair.is_typed && pair.other == option)
    return pair.option;
  return std::nullopt;
}

/// Takes the entries of one file.
class Defaults {
public:
  Defaults(CLI::App& app, const OptionExclusions& exclusions)
      : app_(app), exclusions_(exclusions) {
  }

  /// Before the first is given.
  void check(const Setting& x) const {
    if (!takes(app_, x.name))
      throw CommandError{exit_usage, x.origin + ": '" + x.name
                                         + "' is not an option of 'stoker "
                                         + app_.get_name() + '\''
                                         + similar_option(app_, x.name)};
    // CLI11 takes any word like "yes" and numbers, too, for the truth.
    if (is_flag(*option_of(x)) && x.value != "true" && x.value != "false")
      throw CommandError{exit_usage, x.origin + ": '" + x.name
                                         + "' is true or false, not '" + x.value
                                         + '\''};
  }

  [[nodiscard]] bool needs_others(const Setting& x) const {
    return !option_of(x)->get_needs().empty();
  }

  void give(const Setting& x) {
    auto* option = option_of(x);
    if (option->count() > 0 || (is_flag(*option) && x.value == "false"))
      return;
    for (const auto* needed : option->get_needs())
      if (needed->count() == 0)
        return;
    if (is_excluded(x, *option))
      return;
    try {
      option->add_result(x.value);
      option->run_callback();
    } catch (const CLI::ParseError& e) {
      throw CommandError{exit_usage, x.origin + ": " + message_of(e)};
    }
    given_[option] = x;
  }

private:
  [[nodiscard]] CLI::Option* option_of(const Setting& x) const {
    return app_.get_option("--" + x.name);
  }

  /// @throws CommandError where an entry of the same file does it.
  [[nodiscard]] bool is_excluded(const Setting& x,
                                 const CLI::Option& option) const {
    for (const auto* other : option.get_excludes())
      if (has_value(*other) && !is_of_file(x, *other, {}))
        return true;
    for (const auto& pair : exclusions_) {
      auto other = other_of(pair, "--" + x.name);
      if (!other)
        continue;
      if (pair.is_typed && pair.is_typed())
        return true;
      const auto* found = app_.get_option_no_throw(*other);
      if (found != nullptr && has_value(*found)
          && !is_of_file(x, *found, pair.why))
        return true;
    }
    return false;
  }

  /// Returns false: the other one was typed.
  [[nodiscard]] bool is_of_file(const Setting& x, const CLI::Option& other,
                                const std::string& why) const {
    auto i = given_.find(&other);
    if (i == given_.end())
      return false;
    throw CommandError{exit_usage,
                       x.origin + ": '" + x.name + "' and '" + i->second.name
                           + "' (" + i->second.origin + ") exclude each other"
                           + (why.empty() ? "" : ": " + why)};
  }

  CLI::App& app_;
  const OptionExclusions& exclusions_;
  std::map<const CLI::Option*, Setting> given_;
};

} // namespace

void check_exclusions(const CLI::App& app, const OptionExclusions& exclusions) {
  for (const auto& x : exclusions)
    if (has_value(app, x.option)
        && (x.is_typed ? x.is_typed() : has_value(app, x.other)))
      throw CommandError{exit_usage, x.option + " and " + x.other
                                         + " exclude each other: " + x.why};
}

void give_defaults(CLI::App& app, const std::vector<Setting>& entries,
                   const OptionExclusions& exclusions) {
  Defaults defaults{app, exclusions};
  for (const auto& x : entries)
    defaults.check(x);
  // What an option needs may stand behind it.
  for (auto with_needs : {false, true})
    for (const auto& x : entries)
      if (defaults.needs_others(x) == with_needs)
        defaults.give(x);
}

} // namespace stoker
