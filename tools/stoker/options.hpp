#pragma once

// What several commands have in common.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "embedding/master_client.hpp"
#include "embedding/settings.hpp"
#include "messages/result.hpp"
#include "network/actor_network.hpp"
#include "tools/stoker/command_error.hpp"
#include "tools/stoker/network_options.hpp"
#include "tools/stoker/option_defaults.hpp"

namespace stoker {

// -- quantities ---------------------------------------------------------------

/// Options that take `512m` or `15s`. The error names the option.
/// @param too_small What an error says of less than 1 MB. Empty: that is taken.
CLI::Option* add_memory_option(CLI::App& app, const std::string& name,
                               std::optional<std::int64_t>& target_mb,
                               const std::string& description,
                               const std::string& too_small = {});
CLI::Option* add_duration_option(CLI::App& app, const std::string& name,
                                 Duration& target,
                                 const std::string& description);
CLI::Option* add_duration_option(CLI::App& app, const std::string& name,
                                 std::optional<Duration>& target,
                                 const std::string& description);

/// A whole number that must not be less than `least`.
/// @param too_small What an error says of one that is. Empty: that, with the option's name.
CLI::Option* add_number_option(CLI::App& app, const std::string& name,
                               int& target, int least,
                               const std::string& description,
                               const std::string& too_small = {});
CLI::Option* add_number_option(CLI::App& app, const std::string& name,
                               std::optional<int>& target, int least,
                               const std::string& description,
                               const std::string& too_small = {});

/// The same of numbers that may be larger than an int holds.
CLI::Option* add_number_option(CLI::App& app, const std::string& name,
                               std::uint64_t& target, std::uint64_t least,
                               const std::string& description);
CLI::Option* add_number_option(CLI::App& app, const std::string& name,
                               std::optional<std::uint64_t>& target,
                               std::uint64_t least,
                               const std::string& description);

/// An option that may be repeated, with a value each time.
/// @param check Of one value. Its error names the option.
CLI::Option*
add_list_option(CLI::App& app, const std::string& name,
                std::vector<std::string>& target,
                const std::string& description,
                const std::function<Status(const std::string&)>& check);

/// Refuses two values of an option, each NAME=VALUE or NAME, with the same name.
/// @param option As "--env".
/// @throws CommandError
void require_each_once(const std::string& option,
                       const std::vector<std::string>& values);

/// Refuses the texts for which `parse` fails, with its reason.
template <class Parse>
CLI::Validator parsed_by(Parse parse) {
  return {[parse](const std::string& text) {
            auto result = parse(text);
            return result ? std::string{} : result.error().message;
          },
          ""};
}

/// Returns the directory for files that are needed only for a while: TMPDIR, or /tmp.
std::string temporary_directory();

/// Refuses a text that is not one of these words, and says which one is similar.
CLI::Validator word_of(std::vector<std::string> words);

// -- configuration ------------------------------------------------------------

struct ConfigOptions {
  std::string file;
  std::vector<std::string> conf;

  /// The settings of a command that asks a master. Without a file, its user's counts for
  /// them: that is for other commands, too. Empty: the command has none.
  std::vector<std::string> own_settings;
};

/// Adds `--config` and `--conf`.
void add_config_options(CLI::App& app, ConfigOptions& target);

/// Reads the configuration file, gives its values to the options that neither the command
/// line nor the environment has set, and returns all settings, those of `--conf` last.
/// Without a file they are those of the user's.
/// @throws CommandError
std::vector<Setting> load_settings(CLI::App& app, const ConfigOptions& options);

/// Adds a `--config` to a command of which only some options are taken from it.
void add_partial_config_option(CLI::App& app, std::string& target);

/// What a configuration file says about some options goes into those that neither the
/// command line nor the environment has set. All else is for other commands, and has to be
/// known to one.
/// @param file empty: there is none
/// @throws CommandError
void take_from_config(CLI::App& app, const std::string& file,
                      const std::function<bool(const std::string&)>& is_taken,
                      const OptionRules& rules = {});

/// Whether an option is one of those of the network.
bool is_network_option(const std::string& name);

// -- reaching a master --------------------------------------------------------

struct AccessOptions {
  /// Of the command, if it takes nothing else from a configuration file.
  CLI::App* command = nullptr;

  /// Of its options, also those that a configuration file gives.
  OptionRules rules;
  std::string config;
  std::string master = "stoker://127.0.0.1:7070";
  NetworkOptions network;

  /// How long to look for an active master.
  Duration patience = std::chrono::seconds{10};

  /// The option of `patience`: it is set where somebody wants to wait for a master.
  const CLI::Option* patience_option = nullptr;

  /// The command only looks, or changes what a master has: if no master runs on this machine,
  /// it is of no use to wait for one.
  bool needs_listener = true;
};

/// Adds `--master`, `--master-timeout` and those of the network; and `--config`, if
/// the command has none. From then on the command takes its options from the user's
/// configuration file, too, unless another one is named; and keeps its `rules`.
void add_access_options(CLI::App& app, AccessOptions& target);

/// @throws CommandError
std::vector<MasterAddress> master_addresses(const std::string& url);

/// Returns "; start a cluster with ...", if all masters are on this machine; else nothing.
std::string start_hint(const std::vector<MasterAddress>& masters);

/// Returns what is said while a master is looked for.
/// @param reason Why the last one was of no use.
std::string search_notice(const std::string& reason,
                          const std::vector<MasterAddress>& masters);

/// A connection for a command that asks and ends.
class Access {
public:
  /// @throws CommandError
  explicit Access(const AccessOptions& options);

  /// A master that hangs holds nobody up who has said when he waits no longer.
  ~Access();

  Access(const Access&) = delete;
  Access& operator=(const Access&) = delete;

  template <class Answer, class Request>
  Result<Answer> try_ask(const Request& request) {
    auto result = client_.ask<Answer>(request);
    if (!result)
      return with_hint(std::move(result).error());
    return result;
  }

  /// @throws CommandError
  template <class Answer, class Request>
  Answer ask(const Request& request) {
    auto result = try_ask<Answer>(request);
    if (!result)
      throw CommandError{result.error()};
    return *std::move(result);
  }

  /// Asks one that leads: another one knows of nothing that there is.
  /// @throws CommandError
  MasterStateResponse ask_leader(const RequestMasterState& request);

  /// Who is told instead of standard error that a master is looked for, and why.
  void on_wait(std::function<void(const std::string& reason)> tell) {
    client_.on_wait = std::move(tell);
  }

  /// When nobody waits any longer, for an answer or for a master.
  void give_up_at(std::chrono::steady_clock::time_point deadline) {
    client_.deadline = deadline;
  }

private:
  [[nodiscard]] Error with_hint(Error error) const;

  std::unique_ptr<ActorNetwork> network_;
  std::vector<MasterAddress> masters_;
  MasterClient client_;
};

} // namespace stoker
