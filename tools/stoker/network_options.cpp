#include "tools/stoker/network_options.hpp"

#include <pwd.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>

#include <spdlog/spdlog.h>

#include "embedding/machine.hpp"
#include "network/owner_credentials.hpp"
#include "tools/stoker/options.hpp"

namespace stoker {

namespace {

constexpr const char* insecure_variable = "STOKER_INSECURE";
constexpr const char* certificate_variable = "STOKER_TLS_CERT";
constexpr const char* key_variable = "STOKER_TLS_KEY";
constexpr const char* authority_variable = "STOKER_TLS_CA";
constexpr const char* revoked_variable = "STOKER_TLS_REVOKED";

void add_file(CLI::App& app, const char* name, const char* variable,
              std::string& target, const char* what) {
  app.add_option(name, target, what)->envname(variable)->type_name("FILE");
}

/// Null: nobody proves anything.
std::shared_ptr<Credentials> credentials_of(const NetworkOptions& options,
                                            Role role) {
  if (options.insecure && options.tls.enabled())
    throw CommandError{exit_usage,
                       "--insecure and the TLS options exclude each "
                       "other"};
  if (options.insecure)
    return nullptr;
  if (!options.tls.enabled())
    return own_credentials(role);
  auto loaded = Credentials::load(options.tls);
  require_ok(exit_usage, loaded);
  return *std::move(loaded);
}

} // namespace

void add_network_options(CLI::App& app, NetworkOptions& target) {
  add_file(app, "--tls-cert", certificate_variable, target.tls.certificate,
           "A certificate (see 'stoker certs'); without one, only your own "
           "processes on this machine reach each other");
  add_file(app, "--tls-key", key_variable, target.tls.key,
           "The certificate's private key");
  add_file(app, "--tls-ca", authority_variable, target.tls.authority,
           "The certificate of the cluster's authority");
  add_file(app, "--tls-revoked", revoked_variable, target.tls.revoked,
           "A list of serial numbers of certificates that do not count any "
           "more (see 'stoker revoke')");
  app.add_flag("--insecure", target.insecure,
               "Prove nothing, and believe everybody on this machine")
      ->envname(insecure_variable);
}

void add_network_rules(OptionRules& rules) {
  for (const auto* option :
       {"--tls-cert", "--tls-key", "--tls-ca", "--tls-revoked"})
    rules.exclusions.push_back(
        {"--insecure", option, "one proves nothing, the other does", {}});
}

std::shared_ptr<Credentials> own_credentials(Role role) {
  auto files = owner_credentials(default_state_directory(), role);
  require_ok(exit_failure, files);
  auto loaded = Credentials::load(*files);
  require_ok(exit_failure, loaded);
  return *std::move(loaded);
}

std::unique_ptr<ActorNetwork> open_network(const NetworkOptions& options,
                                           Role role) {
  auto credentials = credentials_of(options, role);
  if (!credentials)
    return ActorNetwork::without_proof();
  return std::make_unique<ActorNetwork>(std::move(credentials));
}

std::string user_name(const NetworkOptions& options) {
  if (options.tls.enabled()) {
    auto loaded = Credentials::load(options.tls);
    require_ok(exit_usage, loaded);
    if (auto identity = (*loaded)->identity();
        identity && identity->role == Role::user)
      return identity->name;
  }
  if (const auto* entry = ::getpwuid(::getuid()))
    return entry->pw_name;
  return std::to_string(::getuid());
}

std::vector<std::string> certified_hosts(const NetworkOptions& options) {
  if (!options.tls.enabled())
    return {};
  auto loaded = Credentials::load(options.tls);
  require_ok(exit_usage, loaded);
  auto identity = (*loaded)->identity();
  return identity ? identity->hosts : std::vector<std::string>{};
}

void check(const NetworkOptions& options, Role role) {
  (void)credentials_of(options, role);
}

void warn_if_insecure(const NetworkOptions& options) {
  if (options.insecure)
    spdlog::warn("[insecure] --insecure: every user of this machine may run "
                 "programs as you, and read what yours write");
}

void pass_on(const NetworkOptions& options) {
  for (const auto* name :
       {certificate_variable, key_variable, authority_variable,
        revoked_variable, insecure_variable})
    ::unsetenv(name);
  if (options.insecure)
    ::setenv(insecure_variable, "1", 1);
}

} // namespace stoker
