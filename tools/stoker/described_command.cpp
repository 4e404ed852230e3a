#include "tools/stoker/described_command.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include <CLI/CLI.hpp>

#include "tools/stoker/command_parser.hpp"

namespace stoker {

namespace {

using Texts = std::vector<std::string>;

/// What help calls a value tells what it is.
ValueKind kind_of(const std::string& value_name) {
  static const std::map<std::string, ValueKind, std::less<>> kinds{
      {"FILE", ValueKind::file},
      {"PATH[:NAME]", ValueKind::file},
      {"GLOB", ValueKind::file},
      {"DIR", ValueKind::directory},
      {"APP", ValueKind::application},
      {"WORKER", ValueKind::worker},
      {"ID", ValueKind::id},
      {"WHAT", ValueKind::shown},
      {"NAME[=VALUE]", ValueKind::variable},
  };
  auto found = kinds.find(value_name);
  return found == kinds.end() ? ValueKind::text : found->second;
}

/// The members of "TEXT:{one,two}", as CLI11 describes a set.
Texts choices_of(const std::string& type) {
  auto begin = type.find(":{");
  if (begin == std::string::npos || type.back() != '}')
    return {};
  auto members = type.substr(begin + 2, type.size() - begin - 3);
  return CLI::detail::split(members, ',');
}

/// "FILE", "PATH[:NAME]": what stands before a ':' that is in no brackets.
std::string name_in(const std::string& type) {
  auto depth = 0;
  auto end = std::find_if(type.begin(), type.end(), [&](char c) {
    depth += c == '[' ? 1 : c == ']' ? -1 : 0;
    return c == ':' && depth == 0;
  });
  return {type.begin(), end};
}

/// @param name What help calls it; CLI11 knows it in three ways.
DescribedValue value_of(const CLI::Option& option, std::string name) {
  if (option.get_items_expected_max() == 0)
    return {};
  DescribedValue result;
  auto type = option.get_type_name();
  result.choices = choices_of(type);
  result.name = std::move(name);
  if (result.name.empty())
    result.name = name_in(type);
  if (result.choices.empty())
    result.kind = kind_of(result.name);
  else
    result.kind = option.get_delimiter() == ',' ? ValueKind::choices
                                                : ValueKind::choice;
  return result;
}

DescribedOption describe(const CLI::Option& option) {
  DescribedOption result;
  for (const auto& x : option.get_snames())
    result.names.push_back('-' + x);
  for (const auto& x : option.get_lnames())
    result.names.push_back("--" + x);
  auto operand = result.names.empty();
  result.value = value_of(option, operand ? option.get_name(true)
                                          : option.get_option_text());
  // An option's is one of the shell.
  if (operand && result.value.name == "COMMAND")
    result.value.kind = ValueKind::command;
  result.description = option.get_description();
  result.default_value = option.get_default_str();
  result.variable = option.get_envname();
  result.required = option.get_required();
  // An operand counts how often it comes, an option how many values it has.
  result.repeated
      = option.get_expected_max() > 1 && result.value.kind != ValueKind::none;
  return result;
}

/// The line of help that begins with "Usage: ", without that word.
std::string usage_of(const CLI::App& app, const std::string& name) {
  auto help
      = app.get_formatter()->make_help(&app, name, CLI::AppFormatMode::Normal);
  auto begin = help.find("Usage: ");
  if (begin == std::string::npos)
    return name;
  begin += std::string_view{"Usage: "}.size();
  return help.substr(begin, help.find('\n', begin) - begin);
}

DescribedCommand describe(const CLI::App& app, const std::string& before) {
  DescribedCommand result;
  result.name = before + app.get_name();
  result.description = app.get_description();
  result.usage = usage_of(app, result.name);
  result.footer = app.get_footer();
  for (const auto* x : app.get_options())
    (x->get_positional() ? result.operands : result.options)
        .push_back(describe(*x));
  // What has ended cannot be ended, but has written something.
  if (app.get_name() == "kill" || app.get_name() == "logs")
    for (auto& x : result.operands)
      x.value.kind = app.get_name() == "kill" ? ValueKind::live_id
                                              : ValueKind::output_id;
  if (app.get_name() == "plan")
    for (auto& x : result.options)
      if (x.value.kind == ValueKind::application)
        x.value.kind = ValueKind::live_application;
  for (const auto* x : app.get_subcommands({}))
    result.commands.push_back(describe(*x, result.name + ' '));
  result.takes_program = before == "stoker " && takes_command(app.get_name());
  return result;
}

} // namespace

std::string last_word(const DescribedCommand& command) {
  return command.name.substr(command.name.rfind(' ') + 1);
}

DescribedCommand describe(const CLI::App& program) {
  return describe(program, "");
}

void generalise_defaults(DescribedCommand& command, const std::string& found,
                         const std::string& general) {
  for (auto* options : {&command.options, &command.operands})
    for (auto& x : *options)
      if (!found.empty() && x.default_value.starts_with(found))
        x.default_value.replace(0, found.size(), general);
  for (auto& x : command.commands)
    generalise_defaults(x, found, general);
}

} // namespace stoker
