#include "gateway/spark_version.hpp"

#include <utility>

#include <caf/send.hpp>

#include <spdlog/spdlog.h>

#include "gateway/version_pages.hpp"

namespace stoker {

namespace {

/// By which a driver may say its version.
constexpr const char* version_variable = "STOKER_SPARK_VERSION";

/// Why a version is taken that nobody has said.
std::string why_assumed(const std::vector<const spark::VersionTable*>& tables) {
  std::string others;
  for (const auto* table : tables)
    if (table != tables.front())
      others += (others.empty() ? "" : " and ") + table->version();
  if (others.empty())
    return "as its messages say";
  return "but " + others + " look the same: spark.executorEnv."
         + version_variable + " would say which";
}

void log_version(const std::string& shown, const std::string& version,
                 const std::string& why) {
  spdlog::info("[spark-driver] {} has Spark {}, {}", shown, version, why);
}

/// Where a driver's page is, whatever the driver calls its machine.
std::optional<SocketAddress> page_of(const SocketAddress& peer,
                                     const std::string& url) {
  auto port = page_port(url);
  return port ? std::optional{SocketAddress{peer.host, *port}} : std::nullopt;
}

/// If no master hears it, it is told again to the next one.
void tell_version(SparkPeerSelf self) {
  const auto& driver = *self->state.driver;
  self->request(driver.client, caf::infinite,
                SetSparkVersion{*driver.id, *driver.open_version->found})
      .then(
          [self](bool) {
            if (auto& present = self->state.driver)
              present->open_version.reset();
          },
          [](const caf::error&) {});
}

} // namespace

std::optional<OpenVersion>
begin_version(const SocketAddress& peer,
              const std::vector<const spark::VersionTable*>& tables,
              const std::string& shown, const std::string& page_url,
              SparkProgram& program,
              const std::map<std::string, std::string>& environment) {
  auto assumed = tables.front()->version();
  if (auto said = environment.find(version_variable);
      said != environment.end() && !said->second.empty()) {
    program.version = said->second;
    log_version(shown, program.version, "as its settings say");
    return std::nullopt;
  }
  if (auto page = page_of(peer, page_url)) {
    program.version.clear();
    return OpenVersion{*page, false, assumed, why_assumed(tables), {}};
  }
  program.version = assumed;
  log_version(shown, assumed, why_assumed(tables));
  return std::nullopt;
}

std::optional<OpenVersion>
continue_version(const SocketAddress& peer,
                 const ApplicationDescription& description) {
  const auto& program = description.command.spark;
  if (!program || !program->version.empty())
    return std::nullopt;
  const auto& driver = *description.spark_driver;
  OpenVersion result{{}, false, driver.wire_version, "as its messages say", {}};
  if (auto page = page_of(peer, driver.ui_url))
    result.page = *page;
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
  self->state.services->ask_version(
      open->page, [handle = SparkPeerActor{self}](Result<std::string> x) {
        caf::anon_send(handle, SparkVersionSaid{std::move(x)});
      });
}

void hear_version(SparkPeerSelf self, const Result<std::string>& version) {
  auto& driver = self->state.driver;
  if (!driver || !driver->open_version || driver->open_version->found)
    return;
  auto& open = *driver->open_version;
  if (version) {
    open.found = *version;
    log_version(driver->shown, *version, "as its page says");
  } else {
    open.found = open.assumed;
    log_version(driver->shown, open.assumed,
                open.why + " (its page: " + version.error().message + ')');
  }
  tell_version(self);
}

} // namespace stoker
