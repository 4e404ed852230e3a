#include "gateway/spark_version.hpp"

#include <utility>

#include <caf/send.hpp>

#include <spdlog/spdlog.h>

#include "gateway/agreed_versions.hpp"
#include "gateway/version_pages.hpp"
#include "gateway/version_rules.hpp"
#include "messages/planning.hpp"

namespace stoker {

namespace {

void log_version(const std::string& shown, const std::string& version,
                 const std::string& why) {
  spdlog::info("[spark-driver] {} has Spark {}, {}", shown, version, why);
}

/// Where a driver's page is, whatever the driver calls its machine.
std::optional<VersionPage> page_of(const FrameConnection& driver,
                                   const std::string& url) {
  auto port = page_port(url);
  if (!port)
    return std::nullopt;
  return VersionPage{{driver.peer().host, *port}, driver.owner()};
}

/// Logs what was assumed.
/// @param comment why it has to be assumed; may be empty
void log_assumed(const AssumedVersion& x, const std::string& shown,
                 const std::vector<std::string>& versions,
                 const std::string& comment) {
  log_ignored_rules(x, shown, versions);
  log_version(shown, x.version,
              comment.empty() ? x.why : x.why + " (" + comment + ')');
}

/// If no master hears it, it is told again to the next one.
void tell_version(SparkPeerSelf self) {
  const auto& driver = *self->state.driver;
  const auto& open = *driver.open_version;
  SetSparkVersion told{*driver.id, *open.found, open.is_guess};
  self->request(driver.client, caf::infinite, told)
      .then(
          [self, told](bool counts) {
            auto& present = self->state.driver;
            if (!present || !present->open_version)
              return;
            if (told.is_guess && !counts)
              spdlog::info("[spark-driver] {} has the Spark that workers "
                           "have, and not {}: nobody tells its version",
                           present->shown, told.version);
            present->open_version.reset();
          },
          [](const caf::error&) {});
}

/// The version that is waited for, unless the driver has gone or has it.
OpenVersion* open_version_of(SparkPeerSelf self) {
  auto& driver = self->state.driver;
  return driver && driver->open_version && !driver->open_version->found
             ? &*driver->open_version
             : nullptr;
}

void assume(SparkPeerSelf self, const std::string& comment) {
  auto* open = open_version_of(self);
  if (open == nullptr)
    return;
  auto assumed = assume_version(self->state.services->version_rules,
                                open->names, open->versions);
  log_assumed(assumed, self->state.driver->shown, open->versions, comment);
  open->found = assumed.version;
  open->is_guess = !assumed.is_by_rule;
  tell_version(self);
}

/// By the rules, which may be about the driver's company. The master knows that.
void assume_by_rules(SparkPeerSelf self, const std::string& comment) {
  const auto& services = *self->state.services;
  if (!name_companies(services.version_rules))
    return assume(self, comment);
  self->request(services.master, caf::infinite,
                RequestExplanation{*self->state.driver->id, {}})
      .then(
          [self, comment](const ExplanationResponse& x) {
            if (auto* open = open_version_of(self); open != nullptr && x.place)
              open->names.company = x.place->company;
            assume(self, comment);
          },
          [self, comment](const caf::error&) { assume(self, comment); });
}

} // namespace

std::optional<OpenVersion>
begin_version(SparkPeerSelf self,
              const std::vector<const spark::VersionTable*>& tables,
              const std::string& shown, ApplicationDescription& description) {
  auto& program = *description.command.spark;
  const auto& environment = description.command.environment;
  if (auto said = environment.find(version_variable);
      said != environment.end() && !said->second.empty()) {
    program.version = said->second;
    log_version(shown, program.version, "as its settings say");
    return std::nullopt;
  }
  OpenVersion open;
  open.names = {description.user, {}, description.name};
  open.versions = versions_of(tables);
  open.page
      = page_of(*self->state.connection, description.spark_driver->ui_url);
  const auto& rules = self->state.services->version_rules;
  // The master knows its company, once it is registered.
  if (!open.page && !name_companies(rules)) {
    auto assumed = assume_version(rules, open.names, open.versions);
    if (assumed.is_by_rule || open.versions.size() == 1) {
      log_assumed(assumed, shown, open.versions, {});
      program.version = assumed.version;
      return std::nullopt;
    }
  }
  program.version.clear();
  description.spark_driver->possible_versions = open.versions;
  return open;
}

std::optional<OpenVersion>
continue_version(const FrameConnection& connection,
                 const ApplicationDescription& description) {
  const auto& program = description.command.spark;
  if (!program)
    return std::nullopt;
  const auto& driver = *description.spark_driver;
  const auto& possible = driver.possible_versions;
  if (!program->version.empty() && possible.empty())
    return std::nullopt;
  OpenVersion result;
  result.names = {description.user, {}, description.name};
  // An earlier master stored the newest version only.
  result.versions
      = possible.empty() ? std::vector{driver.wire_version} : possible;
  result.page = page_of(connection, driver.ui_url);
  return result;
}

void find_version(SparkPeerSelf self) {
  auto& open = self->state.driver->open_version;
  if (!open)
    return;
  if (open->found)
    return tell_version(self);
  // The page has no answers before the driver knows that it is registered.
  if (std::exchange(open->is_asked, true))
    return;
  if (!open->page)
    return assume_by_rules(self, {});
  self->state.services->ask_version(
      *open->page, [handle = SparkPeerActor{self}](Result<std::string> x) {
        caf::anon_send(handle, SparkVersionSaid{std::move(x)});
      });
}

void hear_version(SparkPeerSelf self, const Result<std::string>& version) {
  auto* open = open_version_of(self);
  if (open == nullptr)
    return;
  if (!version)
    return assume_by_rules(self, "its page: " + version.error().message);
  open->found = *version;
  log_version(self->state.driver->shown, *version, "as its page says");
  tell_version(self);
}

} // namespace stoker
