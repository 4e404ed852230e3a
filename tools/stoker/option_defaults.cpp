#include "tools/stoker/option_defaults.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>

#include "tools/stoker/command_error.hpp"
#include "tools/stoker/command_parser.hpp"
#include "tools/stoker/config_names.hpp"
#include "tools/stoker/exit_codes.hpp"

namespace stoker {

namespace {

bool is_flag(const CLI::Option& x) {
  return x.get_items_expected_max() == 0;
}

/// A flag that is false is as good as none, and so is an empty text.
bool has_value(const CLI::Option& x) {
  return x.count() > 0 && !x.results().back().empty()
         && !(is_flag(x) && x.results().back() == "false");
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

/// What `--conf` has said so far, by name: the last one of a name counts. What is malformed is
/// told when settings are read.
std::map<std::string, std::string> settings_given(const CLI::App& app) {
  std::map<std::string, std::string> result;
  const auto* conf = app.get_option_no_throw("--conf");
  if (conf == nullptr)
    return result;
  for (const auto& text : conf->results())
    if (auto x = parse_setting(text, "--conf"))
      result[x->name] = x->value;
  return result;
}

/// Which setting an entry stands for by this rule.
std::string setting_of(const OptionSetting& rule, const Setting& entry) {
  constexpr std::string_view name = "NAME";
  auto result = rule.setting;
  if (auto place = result.find(name); place != std::string::npos)
    result.replace(place, name.size(),
                   entry.value.substr(0, entry.value.find('=')));
  return result;
}

/// Takes the entries of one file.
class Defaults {
public:
  Defaults(CLI::App& app, const OptionRules& rules)
      : app_(app), rules_(rules), settings_(settings_given(app)) {
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
    return !option_of(x)->get_needs().empty()
           || std::any_of(rules_.needs.begin(), rules_.needs.end(),
                          [&](const auto& need) { return is_of(need, x); });
  }

  void give(const Setting& x) {
    auto* option = option_of(x);
    if (option->count() > 0 || (is_flag(*option) && x.value == "false"))
      return;
    if (is_overridden(x))
      return;
    for (const auto* needed : option->get_needs())
      if (needed->count() == 0)
        return;
    for (const auto& need : rules_.needs)
      if (is_of(need, x) && !need.is_met())
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
  static bool is_of(const OptionNeed& need, const Setting& x) {
    return need.option == "--" + x.name;
  }

  [[nodiscard]] CLI::Option* option_of(const Setting& x) const {
    return app_.get_option("--" + x.name);
  }

  /// Whether a setting says what this would say.
  [[nodiscard]] bool is_overridden(const Setting& x) const {
    return std::any_of(
        rules_.settings.begin(), rules_.settings.end(), [&](const auto& rule) {
          if (rule.option != "--" + x.name)
            return false;
          auto i = settings_.find(setting_of(rule, x));
          return i != settings_.end()
                 && (rule.value.empty() || rule.value == i->second);
        });
  }

  /// @throws CommandError where an entry of the same file does it.
  [[nodiscard]] bool is_excluded(const Setting& x,
                                 const CLI::Option& option) const {
    for (const auto* other : option.get_excludes())
      if (has_value(*other) && !is_of_file(x, *other, {}))
        return true;
    for (const auto& pair : rules_.exclusions) {
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
  const OptionRules& rules_;

  /// On the command line: no entry of the file has been given yet.
  std::map<std::string, std::string> settings_;
  std::map<const CLI::Option*, Setting> given_;
};

} // namespace

void check_rules(const CLI::App& app, const OptionRules& rules) {
  for (const auto& x : rules.exclusions)
    if (has_value(app, x.option)
        && (x.is_typed ? x.is_typed() : has_value(app, x.other)))
      throw CommandError{exit_usage, x.option + " and " + x.other
                                         + " exclude each other: " + x.why};
  for (const auto& x : rules.needs)
    if (has_value(app, x.option) && !x.is_met())
      throw CommandError{exit_usage, x.option + ' ' + x.why};
}

void give_defaults(CLI::App& app, const std::vector<Setting>& entries,
                   const OptionRules& rules) {
  Defaults defaults{app, rules};
  for (const auto& x : entries)
    defaults.check(x);
  // What an option needs may stand behind it.
  for (auto with_needs : {false, true})
    for (const auto& x : entries)
      if (defaults.needs_others(x) == with_needs)
        defaults.give(x);
}

} // namespace stoker
