#include "tools/stoker/options.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <iostream>
#include <set>
#include <system_error>
#include <utility>

#include <boost/algorithm/string/join.hpp>

#include "scheduling/common/units.hpp"
#include "tools/stoker/command_parser.hpp"
#include "tools/stoker/config_file.hpp"
#include "tools/stoker/config_names.hpp"
#include "tools/stoker/notice.hpp"
#include "tools/stoker/spelling.hpp"
#include "tools/stoker/user_config.hpp"

namespace stoker {

// -- quantities ---------------------------------------------------------------

CLI::Option* add_memory_option(CLI::App& app, const std::string& name,
                               std::optional<std::int64_t>& target_mb,
                               const std::string& description,
                               const std::string& too_small) {
  return app
      .add_option_function<std::string>(
          name,
          [&target_mb, name, too_small](const std::string& text) {
            target_mb = parse_memory_mb(text);
            if (!target_mb)
              throw CLI::ValidationError{
                  name,
                  "'" + text
                      + "' is not a size like 512m or 4g: a number of MB, "
                        "or with m, g or t"};
            if (*target_mb <= 0 && !too_small.empty())
              throw CLI::ValidationError{too_small};
          },
          description)
      ->type_name("SIZE");
}

namespace {

/// @tparam Target A Duration, or an optional one.
template <class Target>
CLI::Option* add_duration(CLI::App& app, const std::string& name,
                          Target& target, const std::string& description) {
  return app
      .add_option_function<std::string>(
          name,
          [&target, name](const std::string& text) {
            auto value = parse_duration(text);
            if (!value)
              throw CLI::ValidationError{
                  name, "'" + text + "' is not a duration like 15s or 500ms"};
            target = *value;
          },
          description)
      ->type_name("TIME");
}

} // namespace

CLI::Option* add_duration_option(CLI::App& app, const std::string& name,
                                 Duration& target,
                                 const std::string& description) {
  return add_duration(app, name, target, description);
}

CLI::Option* add_duration_option(CLI::App& app, const std::string& name,
                                 std::optional<Duration>& target,
                                 const std::string& description) {
  return add_duration(app, name, target, description);
}

namespace {

/// What an error says of a number that is too small.
template <class Number>
std::string too_small_text(const std::string& name, Number least) {
  return name.substr(0, name.find(','))
         + (least == 0 ? " must not be negative"
                       : " must be at least " + std::to_string(least));
}

/// @tparam Target An int, or an optional one.
template <class Target>
CLI::Option* add_number(CLI::App& app, const std::string& name, Target& target,
                        int least, const std::string& description,
                        const std::string& too_small) {
  auto why = too_small.empty() ? too_small_text(name, least) : too_small;
  return app.add_option_function<int>(
      name,
      [&target, least, why](int value) {
        if (value < least)
          throw CLI::ValidationError{why};
        target = value;
      },
      description);
}

/// CLI11 takes -1, and what is too large, for the largest number.
/// @tparam Target A std::uint64_t, or an optional one.
template <class Target>
CLI::Option* add_large_number(CLI::App& app, const std::string& name,
                              Target& target, std::uint64_t least,
                              const std::string& description) {
  return app
      .add_option_function<std::string>(
          name,
          [&target, name, least](const std::string& text) {
            std::uint64_t value = 0;
            const auto* end = text.data() + text.size();
            auto [read, error] = std::from_chars(text.data(), end, value);
            auto is_number = error == std::errc{} && read == end;
            if (!is_number && !text.starts_with('-'))
              throw CLI::ValidationError{
                  name, '\'' + text + "' is not a number that it takes"};
            if (!is_number || value < least)
              throw CLI::ValidationError{too_small_text(name, least)};
            target = value;
          },
          description)
      ->type_name("UINT");
}

} // namespace

CLI::Option* add_number_option(CLI::App& app, const std::string& name,
                               int& target, int least,
                               const std::string& description,
                               const std::string& too_small) {
  return add_number(app, name, target, least, description, too_small)
      ->default_str(std::to_string(target));
}

CLI::Option* add_number_option(CLI::App& app, const std::string& name,
                               std::optional<int>& target, int least,
                               const std::string& description,
                               const std::string& too_small) {
  return add_number(app, name, target, least, description, too_small);
}

CLI::Option* add_number_option(CLI::App& app, const std::string& name,
                               std::uint64_t& target, std::uint64_t least,
                               const std::string& description) {
  return add_large_number(app, name, target, least, description);
}

CLI::Option* add_number_option(CLI::App& app, const std::string& name,
                               std::optional<std::uint64_t>& target,
                               std::uint64_t least,
                               const std::string& description) {
  return add_large_number(app, name, target, least, description);
}

CLI::Option*
add_list_option(CLI::App& app, const std::string& name,
                std::vector<std::string>& target,
                const std::string& description,
                const std::function<Status(const std::string&)>& check) {
  return app
      .add_option_function<std::vector<std::string>>(
          name,
          [&target, check](const std::vector<std::string>& values) {
            for (const auto& x : values)
              if (auto valid = check(x); !valid)
                throw CLI::ValidationError{valid.error().message};
            target = values;
          },
          description)
      ->allow_extra_args(false);
}

void require_each_once(const std::string& option,
                       const std::vector<std::string>& values) {
  std::set<std::string> names;
  for (const auto& x : values)
    if (auto name = x.substr(0, x.find('=')); !names.insert(name).second)
      throw CommandError{exit_usage,
                         option + ": '" + name + "' is given more than once"};
}

std::string temporary_directory() {
  const auto* directory = std::getenv("TMPDIR");
  return directory != nullptr && *directory != 0 ? directory : "/tmp";
}

CLI::Validator word_of(std::vector<std::string> words) {
  auto description = '{' + boost::algorithm::join(words, ",") + '}';
  return {[words = std::move(words)](const std::string& text) {
            if (std::find(words.begin(), words.end(), text) != words.end())
              return std::string{};
            return '\'' + text + "' is not one of "
                   + boost::algorithm::join(words, ", ")
                   + did_you_mean(text, {words.begin(), words.end()});
          },
          description};
}

// -- configuration ------------------------------------------------------------

void add_config_options(CLI::App& app, ConfigOptions& target) {
  app.add_option("--config", target.file,
                 "A TOML file with long option names and settings as keys")
      ->envname("STOKER_CONFIG")
      ->type_name("FILE")
      ->configurable(false);
  app.add_option("--conf", target.conf,
                 "A setting by its name, as spark.worker.timeout=60s; may be "
                 "repeated")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
}

namespace {

bool is_setting(const Setting& x) {
  return x.name.find('.') != std::string::npos;
}

/// What the user's configuration file says. It is for all commands: each entry has to be
/// known to one.
std::vector<Setting> user_entries(const CLI::App& command) {
  auto path = user_config_path([](const char* name) {
    return static_cast<const char*>(std::getenv(name));
  });
  auto entries = read_user_config(path);
  require_ok(exit_usage, entries);
  for (const auto& x : *entries)
    require_ok(exit_usage, check_known(command, x));
  return *std::move(entries);
}

std::vector<Setting> without_settings(std::vector<Setting> entries) {
  std::erase_if(entries, is_setting);
  return entries;
}

/// Those of the file that is named, all of which the command has to take; or of the user's
/// own, which is for other commands, too.
void give_file(CLI::App& command, const OptionRules& rules,
               bool takes_whole_file) {
  const auto* named = command.get_option("--config");
  if (named->count() == 0) {
    auto entries = without_settings(user_entries(command));
    std::erase_if(entries,
                  [&](const Setting& x) { return !takes(command, x.name); });
    return give_defaults(command, entries, rules);
  }
  auto file = named->as<std::string>();
  if (!takes_whole_file || file.empty())
    return;
  auto entries = read_config_file(file);
  require_ok(exit_usage, entries);
  give_defaults(command, without_settings(*std::move(entries)), rules);
}

/// Where `--conf` was given: an entry of the file may say it, too.
std::string origin_of_conf(const ConfigOptions& options,
                           const std::vector<Setting>& entries) {
  for (const auto& x : entries)
    if (x.name == "conf" && options.conf == std::vector{x.value})
      return x.origin;
  return "--conf";
}

} // namespace

std::vector<Setting> load_settings(CLI::App& app,
                                   const ConfigOptions& options) {
  std::vector<Setting> settings;
  std::vector<Setting> entries;
  if (!options.file.empty()) {
    auto read = read_config_file(options.file);
    require_ok(exit_usage, read);
    entries = *std::move(read);
    for (const auto& x : entries)
      if (is_setting(x)) {
        require_ok(exit_usage, check_known(app, x));
        settings.push_back(x);
      }
    // A command that asks a master has them already (add_access_options).
    if (options.own_settings.empty())
      give_defaults(app, without_settings(entries), {});
  } else if (!options.own_settings.empty()) {
    entries = user_entries(app);
    for (const auto& x : entries)
      if (is_setting(x) && is_one_of(x.name, options.own_settings))
        settings.push_back(x);
  }
  auto origin = origin_of_conf(options, entries);
  for (const auto& text : options.conf) {
    auto setting = parse_setting(text, origin);
    if (!setting)
      throw CommandError{exit_usage, origin + ": '" + text
                                         + "' is not of the form NAME=VALUE"};
    settings.push_back(*setting);
  }
  return settings;
}

void add_partial_config_option(CLI::App& app, std::string& target) {
  app.add_option("--config", target,
                 "A TOML file, of which the options above are taken")
      ->envname("STOKER_CONFIG")
      ->type_name("FILE")
      ->configurable(false);
}

void take_from_config(CLI::App& app, const std::string& file,
                      const std::function<bool(const std::string&)>& is_taken,
                      const OptionRules& rules) {
  if (file.empty())
    return;
  auto entries = read_config_file(file);
  require_ok(exit_usage, entries);
  for (const auto& x : *entries)
    require_ok(exit_usage, check_known(app, x));
  std::erase_if(*entries, [&](const Setting& x) { return !is_taken(x.name); });
  give_defaults(app, *entries, rules);
}

bool is_network_option(const std::string& name) {
  return name == "insecure" || name.starts_with("tls-");
}

// -- reaching a master --------------------------------------------------------

void add_access_options(CLI::App& app, AccessOptions& target) {
  auto* master
      = app.add_option("--master", target.master,
                       "Where the master is, or the masters are: "
                       "stoker://HOST:PORT[,HOST:PORT]")
            ->envname("STOKER_MASTER")
            ->type_name("URL")
            ->capture_default_str()
            ->check(parsed_by(parse_master_url).active(false), "address");
  target.patience_option
      = add_duration_option(app, "--master-timeout", target.patience,
                            "How long to look for a master, as 10s")
            ->envname("STOKER_MASTER_TIMEOUT");
  add_network_options(app, target.network);
  add_network_rules(target.rules);
  auto takes_whole_file = app.get_option_no_throw("--config") != nullptr;
  app.parse_complete_callback([&app, &target, master, takes_whole_file] {
    check_rules(app, target.rules);
    // From here on files give it. What the environment says must not stop who asks for help.
    master->get_validator("address")->active();
    give_file(app, target.rules, takes_whole_file);
  });
  if (takes_whole_file)
    return;
  target.command = &app;
  add_partial_config_option(app, target.config);
}

namespace {

/// What the configuration file says about masters goes into its options.
const AccessOptions& completed(const AccessOptions& options) {
  if (options.command != nullptr)
    take_from_config(
        *options.command, options.config,
        [](const std::string& name) {
          return name == "master" || name == "master-timeout"
                 || is_network_option(name);
        },
        options.rules);
  return options;
}

} // namespace

std::vector<MasterAddress> master_addresses(const std::string& url) {
  auto parsed = parse_master_url(url);
  require_ok(exit_usage, parsed);
  return *std::move(parsed);
}

std::string start_hint(const std::vector<MasterAddress>& masters) {
  auto is_here = std::all_of(masters.begin(), masters.end(),
                             [](const auto& x) { return is_loopback(x.host); });
  return is_here ? "; start a cluster with 'stoker local', or name another one "
                   "with --master"
                 : "";
}

namespace {

/// Whether that is all that a search found. Masters with one reason stand together.
bool nothing_listens(const std::string& reason) {
  return reason.ends_with(std::generic_category().message(ECONNREFUSED))
         && reason.find("; ") == std::string::npos;
}

} // namespace

std::string search_notice(const std::string& reason,
                          const std::vector<MasterAddress>& masters) {
  return reason
         + (nothing_listens(reason) ? start_hint(masters) : std::string{})
         + "; trying again";
}

Access::Access(const AccessOptions& options)
    : network_(open_network(completed(options).network, Role::operator_)),
      masters_(master_addresses(options.master)),
      client_(*network_, masters_, options.patience) {
  client_.needs_listener = options.needs_listener
                           && (options.patience_option == nullptr
                               || options.patience_option->count() == 0);
  client_.on_wait = [this](const std::string& reason) {
    print_notice(search_notice(reason, masters_));
  };
}

MasterStateResponse Access::ask_leader(const RequestMasterState& request) {
  auto result = client_.ask_leader(request);
  if (!result)
    throw CommandError{with_hint(result.error())};
  return *std::move(result);
}

Error Access::with_hint(Error error) const {
  if (nothing_listens(error.message))
    error.message += start_hint(masters_);
  return error;
}

Access::~Access() {
  if (client_.deadline)
    network_->hang_up();
}

} // namespace stoker
