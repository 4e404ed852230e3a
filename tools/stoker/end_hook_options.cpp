#include "tools/stoker/end_hook_options.hpp"

#include <filesystem>
#include <functional>
#include <system_error>
#include <utility>

#include "scheduling/master/end_hooks.hpp"
#include "tools/stoker/command_error.hpp"
#include "tools/stoker/end_notice.hpp"
#include "tools/stoker/exit_codes.hpp"
#include "tools/stoker/options.hpp"

namespace stoker {

namespace {

constexpr int default_retries = 5;

/// This program, which has to be at the same place on the workers.
std::string own_path() {
  std::error_code error;
  auto path = std::filesystem::canonical("/proc/self/exe", error);
  if (error)
    throw CommandError{exit_failure, "this program's own file cannot be found: "
                                         + error.message()};
  return path.string();
}

Status check_address(const std::string& url) {
  auto address = parse_notice_address(url);
  return address ? Status{} : std::move(address).error();
}

/// Adds an option that may be given, and then has words.
/// @param check Of these words. Empty: all are right.
CLI::Option*
add_words(CLI::App& app, const std::string& name,
          std::optional<std::string>& target, const std::string& description,
          const std::function<Status(const std::string&)>& check = {}) {
  return app.add_option_function<std::string>(
      name,
      [&target, name, check](const std::string& text) {
        if (text.find_first_not_of(" \t\n") == std::string::npos)
          throw CLI::ValidationError{name, "it is empty"};
        auto valid = check ? check(text) : Status{};
        if (!valid)
          throw CLI::ValidationError{name, valid.error().message};
        target = text;
      },
      description);
}

} // namespace

void add_end_hook_options(CLI::App& app, EndHookOptions& target) {
  add_words(app, "--on-end", target.command,
            "When it has ended, however, run this command of the shell on "
            "the cluster; it finds STOKER_ENDED_ID, STOKER_ENDED_STATE and "
            "more")
      ->type_name("COMMAND");
  add_words(app, "--on-end-url", target.url,
            "When it has ended, however, post how to this address, in "
            "JSON (see 'stoker notify')",
            check_address)
      ->type_name("URL");
  app.add_option_function<int>(
         "--on-end-retries",
         [&target](int value) {
           if (value < 0)
             throw CLI::ValidationError{
                 "--on-end-retries must not be negative"};
           if (value > hook_retries_max)
             throw CLI::ValidationError{"--on-end-retries is at most "
                                        + std::to_string(hook_retries_max)};
           target.retries = value;
         },
         "How often that is tried again when it fails (default: 5)")
      ->type_name("N");
}

void add_end_hook_rules(const CLI::App& app, OptionRules& rules) {
  rules.exclusions.push_back({"--on-end",
                              "--on-end-url",
                              "'stoker notify' in the command posts, too",
                              {}});
  rules.needs.push_back(
      {"--on-end-retries", "needs --on-end or --on-end-url", [&app] {
         return app.count("--on-end") > 0 || app.count("--on-end-url") > 0;
       }});
}

std::optional<EndHook> end_hook_of(const EndHookOptions& options,
                                   const Command& ends) {
  if (!options.command && !options.url)
    return std::nullopt;
  EndHook result;
  result.retries = options.retries.value_or(default_retries);
  result.command = ends;
  if (options.command) {
    result.command.arguments = {"/bin/sh", "-c", *options.command};
    return result;
  }
  result.command.arguments = {own_path(), "notify"};
  result.command.files.clear();
  // Whoever knows it may post there, so it stands in no command line.
  result.command.environment[notice_url_variable] = *options.url;
  return result;
}

} // namespace stoker
