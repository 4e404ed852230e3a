// What becomes known of an actor that fails: embedding/actor_failure.hpp.

#include "embedding/actor_failure.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <future>
#include <stdexcept>
#include <string>
#include <vector>

#include <caf/event_based_actor.hpp>
#include <caf/send.hpp>

#include "actors/failure.hpp"
#include "network/actor_network.hpp"
#include "process/unique_fd.hpp"
#include "tests/support/catch.hpp"

using namespace stoker;
using namespace std::chrono_literals;

namespace {

caf::behavior throwing(caf::event_based_actor* self) {
  handle_the_unexpected(self);
  return {[](const std::string& what) { throw std::runtime_error{what}; }};
}

/// What is said about an actor once it has ended.
std::string said_after(const std::function<void(const caf::actor&)>& end) {
  ActorNetwork network;
  auto actor = network.system().spawn(throwing);
  // Functors are called in the reverse order: this one last.
  std::promise<void> ended;
  actor->attach_functor([&] { ended.set_value(); });
  std::string said;
  on_failure(network.system(), caf::actor_cast<caf::strong_actor_ptr>(actor),
             "the actor", [&](const std::string& why) { said = why; });
  end(actor);
  REQUIRE(ended.get_future().wait_for(10s) == std::future_status::ready);
  return said;
}

/// What this process writes to its standard streams meanwhile.
class Written {
public:
  Written() {
    std::fflush(nullptr);
    for (auto stream : {STDOUT_FILENO, STDERR_FILENO}) {
      before_.emplace_back(::dup(stream));
      ::dup2(file_.get(), stream);
    }
  }

  /// Ends it.
  std::string text() {
    std::fflush(nullptr);
    for (auto stream : {STDOUT_FILENO, STDERR_FILENO})
      ::dup2(before_.at(static_cast<std::size_t>(stream - STDOUT_FILENO)).get(),
             stream);
    std::string result(4096, '\0');
    auto count = ::pread(file_.get(), result.data(), result.size(), 0);
    result.resize(static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
    return result;
  }

private:
  process::UniqueFd file_{::memfd_create("written", MFD_CLOEXEC)};
  std::vector<process::UniqueFd> before_;
};

} // namespace

TEST_CASE("what an actor does not understand reaches no terminal",
          "[embedding]") {
  Written written;
  said_after([](const caf::actor& x) {
    caf::anon_send(x, 42, std::string{"\033[31m"});
    caf::anon_send_exit(x, caf::exit_reason::user_shutdown);
  });
  // The system that would write has ended.
  CHECK(written.text() == "");
}

TEST_CASE("an actor that throws has failed, and says why", "[embedding]") {
  auto said = said_after([](const caf::actor& x) {
    caf::anon_send(x, std::string{"the disk is gone"});
  });
  CHECK(said.find("the actor has failed") == 0);
  CHECK(said.find("the disk is gone") != std::string::npos);
}

TEST_CASE("an actor that is told to end has not failed", "[embedding]") {
  CHECK(said_after([](const caf::actor& x) {
          caf::anon_send_exit(x, caf::exit_reason::user_shutdown);
        })
        == "");
}
