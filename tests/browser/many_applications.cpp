// Registers many applications at a master, and stays until its input ends. They want more
// than any worker has, so that all of them wait.
//
// usage: many_applications MASTER COUNT

#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include <caf/actor_cast.hpp>
#include <caf/exit_reason.hpp>
#include <caf/send.hpp>

#include "actors/interfaces.hpp"
#include "embedding/machine.hpp"
#include "messages/application.hpp"
#include "network/actor_network.hpp"
#include "network/owner_credentials.hpp"
#include "tests/actors/recorders.hpp"

using namespace stoker;

namespace {

constexpr int more_cores_than_any_has = 4096;

RegisterApplication registration(int number) {
  RegisterApplication result;
  auto& x = result.description;
  x.name = "many-" + std::to_string(number);
  x.user = "user-" + std::to_string(number % 20);
  x.command.arguments = {"true"};
  x.max_cores = x.cores_per_executor = more_cores_than_any_has;
  result.driver = EndpointId{"many-" + std::to_string(number)};
  return result;
}

template <class T>
T required(Result<T> x) {
  if (x)
    return *std::move(x);
  std::cerr << "many_applications: " << x.error().message << std::endl;
  std::exit(1);
}

} // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: many_applications MASTER COUNT" << std::endl;
    return 2;
  }
  auto address = required(parse_master_url(argv[1])).front();
  auto files
      = required(owner_credentials(default_state_directory(), Role::operator_));
  ActorNetwork network{required(Credentials::load(files))};
  auto master = required(network.connect<MasterActor>(address));
  std::vector<AppClientActor> applications;
  for (int i = 0; i < std::atoi(argv[2]); ++i) {
    applications.push_back(network.system().spawn(
        test::app_recorder, std::make_shared<std::vector<std::string>>()));
    caf::send_as(caf::actor_cast<caf::actor>(applications.back()), master,
                 registration(i));
  }
  for (std::string line; std::getline(std::cin, line);) {
  }
  for (const auto& x : applications)
    caf::anon_send_exit(x, caf::exit_reason::user_shutdown);
}
