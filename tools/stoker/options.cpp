#include "tools/stoker/options.hpp"

#include <iostream>

#include "tools/stoker/config_file.hpp"
#include "tools/stoker/units.hpp"

namespace stoker {

// -- errors -------------------------------------------------------------------

std::string message_of(const CLI::ParseError& error) {
  std::string result = error.what();
  // CLI11 adds a second line about --help to some errors.
  result = result.substr(0, result.find('\n'));
  const std::string no_number = "Could not convert: ";
  auto equals = result.find(" = ");
  if (result.rfind(no_number, 0) == 0 && equals != std::string::npos)
    result = result.substr(no_number.size(), equals - no_number.size()) + ": '"
             + result.substr(equals + 3) + "' is not a number that it takes";
  return result;
}

// -- quantities ---------------------------------------------------------------

CLI::Option* add_memory_option(CLI::App& app, const std::string& name,
                               std::optional<std::int64_t>& target_mb,
                               const std::string& description) {
  return app
      .add_option_function<std::string>(
          name,
          [&target_mb, name](const std::string& text) {
            target_mb = parse_memory_mb(text);
            if (!target_mb)
              throw CLI::ValidationError{
                  name, "'" + text + "' is not a memory size like 512m or 4g"};
          },
          description)
      ->type_name("SIZE");
}

CLI::Option* add_duration_option(CLI::App& app, const std::string& name,
                                 Duration& target,
                                 const std::string& description) {
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

// -- configuration ------------------------------------------------------------

void add_config_options(CLI::App& app, ConfigOptions& target) {
  app.add_option("--config", target.file,
                 "A TOML file with long option names and settings as keys")
      ->envname("STOKER_CONFIG")
      ->type_name("FILE");
  app.add_option("--conf", target.conf,
                 "A setting by its name, as spark.worker.timeout=60s; may be "
                 "repeated")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
}

std::vector<Setting> load_settings(CLI::App& app,
                                   const ConfigOptions& options) {
  std::vector<Setting> settings;
  if (!options.file.empty()) {
    auto entries = read_config_file(options.file);
    require_ok(exit_usage, entries);
    for (auto& x : *entries) {
      if (x.name.find('.') != std::string::npos) {
        settings.push_back(std::move(x));
        continue;
      }
      auto* option = app.get_option_no_throw("--" + x.name);
      if (option == nullptr || x.name == "config" || x.name == "help")
        throw CommandError{exit_usage, x.origin + ": '" + x.name
                                           + "' is not an option of 'stoker "
                                           + app.get_name() + "'"};
      if (option->count() > 0)
        continue;
      try {
        option->add_result(x.value);
        option->run_callback();
      } catch (const CLI::ParseError& e) {
        throw CommandError{exit_usage, x.origin + ": " + message_of(e)};
      }
    }
  }
  for (const auto& text : options.conf) {
    auto setting = parse_setting(text, "--conf");
    if (!setting)
      throw CommandError{exit_usage, "--conf: '" + text
                                         + "' is not of the form NAME=VALUE"};
    settings.push_back(*setting);
  }
  return settings;
}

// -- reaching a master --------------------------------------------------------

void add_tls_options(CLI::App& app, TlsConfig& target) {
  app.add_option("--tls-cert", target.certificate,
                 "This network's certificate (see 'stoker certs')")
      ->envname("STOKER_TLS_CERT")
      ->type_name("FILE");
  app.add_option("--tls-key", target.key, "The certificate's private key")
      ->envname("STOKER_TLS_KEY")
      ->type_name("FILE");
  app.add_option("--tls-ca", target.authority,
                 "The certificate of the cluster's authority")
      ->envname("STOKER_TLS_CA")
      ->type_name("FILE");
}

void add_access_options(CLI::App& app, AccessOptions& target) {
  app.add_option("--master", target.master,
                 "Where the master is, or the masters are: "
                 "stoker://HOST:PORT[,HOST:PORT]")
      ->envname("STOKER_MASTER")
      ->type_name("URL")
      ->capture_default_str();
  add_duration_option(app, "--master-timeout", target.patience,
                      "How long to look for a master, as 10s")
      ->envname("STOKER_MASTER_TIMEOUT");
  add_tls_options(app, target.tls);
}

std::vector<MasterAddress> master_addresses(const AccessOptions& options) {
  auto parsed = parse_master_url(options.master);
  require_ok(exit_usage, parsed);
  return *std::move(parsed);
}

namespace {

const TlsConfig& checked(const TlsConfig& tls) {
  require_ok(exit_usage, validate(tls));
  return tls;
}

} // namespace

Access::Access(const AccessOptions& options)
    : network_(checked(options.tls)),
      client_(network_, master_addresses(options), options.patience) {
  client_.on_wait = [](const std::string& reason) {
    std::cerr << "stoker: " << reason << "; trying again" << std::endl;
  };
}

} // namespace stoker
