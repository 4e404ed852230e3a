// What one identity gets of the places of a MASTER: a master and its network on threads, because
// identities belong to nodes.

#include <chrono>
#include <optional>

#include "actors/journal.hpp"
#include "actors/master.hpp"
#include "network/actor_network.hpp"
#include "network/certificates.hpp"
#include "network/credentials.hpp"
#include "storage/memory_journal.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace stoker;
using namespace stoker::test;
using namespace std::chrono_literals;

namespace {

/// The credentials of a user, with which all that this process sends counts for that user.
std::shared_ptr<Credentials> credentials_of_user(const std::string& directory) {
  REQUIRE(make_certificates(directory, {{"ann", Role::user}}));
  auto loaded
      = Credentials::load({directory + "/ann.pem", directory + "/ann-key.pem",
                           directory + "/ca.pem"});
  REQUIRE(loaded);
  return *std::move(loaded);
}

} // namespace

TEST_CASE("a master keeps half of its places for questions from one user",
          "[following]") {
  TemporaryDirectory directory;
  ActorNetwork network{credentials_of_user(directory.path("certificates"))};
  auto& system = network.system();
  caf::scoped_actor self{system};
  MasterServices services;
  services.network = &network;
  services.journal = system.spawn(
      journal, JournalFactory{[store = std::make_shared<MemoryStore>()] {
        return std::make_unique<MemoryJournal>(store);
      }});
  auto asked = system.spawn(master, ClusterConfig{}, services);
  RequestSubmitDriver driver;
  driver.driver_description.name = "job";
  driver.driver_description.command.arguments = {"job"};
  std::optional<DriverId> id;
  const auto deadline = std::chrono::steady_clock::now() + 30s;
  // It leads once its journal is open.
  while (!id && std::chrono::steady_clock::now() < deadline)
    self->request(asked, caf::infinite, driver)
        .receive([&](const SubmitDriverResponse& x) { id = x.driver_id; },
                 [](const caf::error&) {});
  REQUIRE(id);
  constexpr int of_one = 5000;
  constexpr std::int64_t long_ms = 60'000;
  const RequestEnds question{{}, {*id}, long_ms};
  for (int i = 0; i < of_one; ++i)
    self->request(asked, caf::infinite, question);
  std::string refused;
  self->request(asked, 30s, question)
      .receive([&](const EndsResponse&) { refused = "it was kept"; },
               [&](const caf::error& e) { refused = system.render(e); });
  CHECK(refused.find("too many commands wait for the master")
        != std::string::npos);
  self->send_exit(asked, caf::exit_reason::kill);
  self->send_exit(services.journal, caf::exit_reason::kill);
}
