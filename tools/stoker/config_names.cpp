#include "tools/stoker/config_names.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "embedding/job_settings.hpp"
#include "embedding/run_settings.hpp"
#include "tools/stoker/spelling.hpp"

namespace stoker {

namespace {

using Names = std::vector<std::string>;

/// The long names of options, by whether a file may set them. It may name no other file, ask
/// for no help, and hide nothing: all that CLI11 calls not configurable.
struct OptionNames {
  Names of_files;
  Names of_command_line;
};

void add_options(const CLI::App& command, OptionNames& out) {
  for (const auto* option : command.get_options())
    for (const auto& name : option->get_lnames())
      (option->get_configurable() ? out.of_files : out.of_command_line)
          .push_back(name);
}

/// Of a command and those below it that take a file.
void add_options_of_all(const CLI::App& app, OptionNames& out) {
  if (app.get_option_no_throw("--config") != nullptr)
    add_options(app, out);
  for (const auto* x : app.get_subcommands({}))
    add_options_of_all(*x, out);
}

OptionNames option_names(const CLI::App& command) {
  const auto* program = &command;
  while (program->get_parent() != nullptr)
    program = program->get_parent();
  OptionNames result;
  add_options_of_all(*program, result);
  return result;
}

bool contains(const Names& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

Names setting_names() {
  Names result;
  for (const auto& names :
       {master_setting_names(), worker_setting_names(), run_setting_names(),
        driver_setting_names(), job_setting_names()})
    result.insert(result.end(), names.begin(), names.end());
  return result;
}

/// Whether it is that setting: in `known`, NAME stands for any resource.
bool is_setting(std::string_view name, std::string_view known) {
  constexpr std::string_view any = ".NAME.";
  auto place = known.find(any);
  if (place == std::string_view::npos)
    return name == known;
  // With the dots on both sides.
  auto first = known.substr(0, place + 1);
  auto last = known.substr(place + any.size() - 1);
  return name.size() > first.size() + last.size() && name.starts_with(first)
         && name.ends_with(last);
}

std::string hint(const std::string& name, const Names& known) {
  return did_you_mean(name, {known.begin(), known.end()});
}

/// Whoever writes an option after a [table] makes a setting of it.
std::string table_hint(const std::string& setting, const Names& options) {
  auto word = setting.substr(setting.rfind('.') + 1);
  auto is_option = contains(options, word);
  auto meant = is_option ? std::string{} : hint(word, options);
  return is_option || !meant.empty()
             ? "; an option stands before the first [table]" + meant
             : std::string{};
}

} // namespace

Status check_known(const CLI::App& command, const Setting& entry) {
  const auto& name = entry.name;
  auto is_option = name.find('.') == std::string::npos;
  auto options = option_names(command);
  auto known = is_option ? options.of_files : setting_names();
  if (is_option ? contains(known, name) : is_one_of(name, known))
    return {};
  if (is_option && contains(options.of_command_line, name))
    return invalid(entry.origin + ": '" + name
                   + "' is for the command line alone");
  auto meant = hint(name, known);
  if (!is_option)
    meant += table_hint(name, options.of_files);
  return invalid(entry.origin + ": "
                 + (is_option ? '\'' + name + "' is not an option"
                              : name + " is not a setting")
                 + " of any command" + meant);
}

bool is_one_of(const std::string& setting, const Names& names) {
  return std::any_of(names.begin(), names.end(),
                     [&](const auto& x) { return is_setting(setting, x); });
}

bool takes(const CLI::App& command, const std::string& option) {
  const auto* found = command.get_option_no_throw("--" + option);
  return found != nullptr && found->get_configurable();
}

std::string similar_option(const CLI::App& command, const std::string& name) {
  // One that a file may not set is not misspelt.
  if (command.get_option_no_throw("--" + name) != nullptr)
    return {};
  OptionNames known;
  add_options(command, known);
  return hint(name, known.of_files);
}

} // namespace stoker
