#include "tools/stoker/spark_port_options.hpp"

#include <cassert>
#include <string>
#include <utility>
#include <vector>

#include <boost/describe/enum_from_string.hpp>
#include <spdlog/spdlog.h>

#include "embedding/machine.hpp"
#include "embedding/spark_homes.hpp"
#include "network/address.hpp"
#include "network/descriptor_shares.hpp"
#include "tools/stoker/options.hpp"

namespace stoker {

SparkUsers SparkPortOptions::allowed() const {
  SparkUsers result{};
  if (!boost::describe::enum_from_string(users.c_str(), result))
    throw CommandError{exit_usage, "--spark-users is 'own', 'local' or 'any', "
                                   "not '"
                                       + users + "'"};
  return insecure ? SparkUsers::any : result;
}

std::optional<SparkGatewayConfig>
SparkPortOptions::config(const std::string& host) const {
  if (port == 0)
    return std::nullopt;
  SparkGatewayConfig result;
  result.users = allowed();
  result.version_of_home
      = [](const std::string& directory) -> std::optional<std::string> {
    auto home = read_spark_home(directory, {});
    return home ? std::optional{home->version} : std::nullopt;
  };
  result.version_rules = version_rules;
  result.limits.connections_max = descriptors_for_spark();
  // Without proof nobody is let in from elsewhere.
  auto reach = insecure || is_loopback(host) ? host : "127.0.0.1";
  result.listen = {reach == "localhost" ? "127.0.0.1" : reach,
                   port.value_or(default_port)};
  // Spark refuses names with a '_' (java.net.URI, getHost).
  if (auto told = public_host(result.listen.host);
      told.find('_') == std::string::npos)
    result.public_host = std::move(told);
  return result;
}

Result<std::unique_ptr<SparkGateway>>
SparkPortOptions::open(caf::actor_system& system, const MasterActor& master,
                       const FeedActor& feed, const std::string& host) const {
  auto wanted = config(host);
  assert(wanted);
  auto opened = SparkGateway::start(system, master, feed, *wanted);
  if (opened && insecure)
    spdlog::warn(
        "[spark-insecure] whoever reaches {} may start programs on this "
        "cluster under any name, and see what others send: Spark's "
        "protocol proves and encrypts nothing",
        to_string(wanted->listen));
  return opened;
}

namespace {

void add_version_rules_option(CLI::App& app, std::vector<VersionRule>& target) {
  const auto* name = "--spark-version-of";
  app.add_option_function<std::vector<std::string>>(
         name,
         [&target, name](const std::vector<std::string>& texts) {
           target.clear();
           for (const auto& text : texts) {
             auto rule = parse_version_rule(text);
             if (!rule)
               throw CLI::ValidationError{name, rule.error().message};
             target.push_back(*std::move(rule));
           }
         },
         "Which version of Spark's the drivers of a user, a company or an "
         "application have that do not say it, as user:ann=3.4.4 or "
         "app:NIGHTLY*=3.5.9; may be repeated, or RULE,RULE: the first that is "
         "about a driver counts")
      ->envname("STOKER_SPARK_VERSION_OF")
      ->type_name("RULE")
      ->delimiter(',')
      ->allow_extra_args(false);
}

} // namespace

void add_spark_port_options(CLI::App& app, SparkPortOptions& target) {
  app.add_option(
         "--spark-port", target.port,
         "Where programs of Apache Spark's connect to, as "
         "spark://127.0.0.1:7077; 0: nowhere. Where another process has the "
         "default, it is opened once that is free")
      ->envname("STOKER_SPARK_PORT")
      ->default_str(std::to_string(SparkPortOptions::default_port));
  app.add_option("--spark-users", target.users,
                 "Whose programs of Spark's may use this master: 'own' (this "
                 "user's), 'local' (all users' of this machine, each under his "
                 "own name) or 'any' (everybody's under any name)")
      ->envname("STOKER_SPARK_USERS")
      ->capture_default_str();
  add_version_rules_option(app, target.version_rules);
  app.add_flag("--spark-insecure", target.insecure,
               "Listen for Spark's programs at --host, too, and let everybody "
               "in under any name: their protocol proves and encrypts nothing")
      ->envname("STOKER_SPARK_INSECURE");
}

} // namespace stoker
