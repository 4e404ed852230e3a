// A worker that comes back finds its programs again. The end of a worker is
// played by a monitor that goes away.

#include <signal.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "process/directory.hpp"
#include "process/process_tree.hpp"
#include "process/supervisor_launcher.hpp"
#include "tests/process/support.hpp"
#include "tests/support/catch.hpp"

using namespace stoker::process;
using namespace stoker::process::test;
using stoker::Errc;

namespace {

struct AdoptFixture {
  TemporaryDirectory directory;
  LaunchSpec spec = spec_for(directory.path("x"), {"sleep"});

  /// Starts the program and returns its pid.
  pid_t start(Watch& watch) const {
    REQUIRE(watch.monitor().start("program", spec));
    auto started = watch.await<Started>("program");
    REQUIRE(started);
    return started->pid;
  }
};

bool ended_in(const std::string& directory) {
  return is_final(state_in(directory).phase);
}

} // namespace

TEST_CASE("a running program is found again and not started twice") {
  AdoptFixture x;
  Watch before, after;
  auto pid = x.start(before);
  before.forget();
  REQUIRE(after.monitor().adopt("again", x.spec.directory));
  auto started = after.await<Started>("again");
  REQUIRE(started);
  CHECK(started->pid == pid);
  CHECK_FALSE(has_ended(pid));
  after.monitor().end("again");
  auto ended = after.await<Ended>("again");
  REQUIRE(ended);
  CHECK(without_use(*ended) == Ended{std::nullopt, SIGTERM, true});
  CHECK(after.monitor().wait_until_empty(patience));
}

TEST_CASE("adopting stops the orphan's clock") {
  AdoptFixture x;
  x.spec.orphan_grace = 5s;
  Watch before, after;
  auto pid = x.start(before);
  before.forget();
  REQUIRE(after.monitor().adopt("again", x.spec.directory));
  REQUIRE(after.await<Started>("again"));
  // The program has to outlive the grace: that it does not end is the point.
  CHECK_FALSE(eventually([&] { return has_ended(pid); }, 5500ms));
}

TEST_CASE("the end of a program is kept for a worker that comes late") {
  AdoptFixture x;
  Watch before, after;
  auto pid = x.start(before);
  before.forget();
  SECTION("the supervisor still waits") {
    ::kill(pid, SIGUSR1);
    REQUIRE(eventually([&] { return ended_in(x.spec.directory); }));
  }
  SECTION("the supervisor has gone") {
    auto supervisor = state_in(x.spec.directory).supervisor.pid;
    ::kill(pid, SIGUSR1);
    REQUIRE(eventually([&] { return ended_in(x.spec.directory); }));
    ::kill(supervisor, SIGTERM);
    REQUIRE(eventually([&] { return has_ended(supervisor); }));
  }
  REQUIRE(after.monitor().adopt("again", x.spec.directory));
  auto ended = after.await<Ended>("again");
  REQUIRE(ended);
  CHECK(without_use(*ended) == Ended{std::nullopt, SIGUSR1, false});
  CHECK(after.monitor().wait_until_empty(patience));
  CHECK(after.reports("again").size() == 1);
}

TEST_CASE("a worker that comes late hears how long ago a program has ended") {
  AdoptFixture x;
  Watch before, after;
  auto pid = x.start(before);
  before.forget();
  auto asked = milliseconds_since_1970();
  ::kill(pid, SIGUSR1);
  REQUIRE(eventually([&] { return ended_in(x.spec.directory); }));
  auto seen = milliseconds_since_1970();
  // Some time has to pass: that is the point.
  CHECK(eventually([&] { return milliseconds_since_1970() > seen + 100; }));
  auto adopted = milliseconds_since_1970();
  REQUIRE(after.monitor().adopt("again", x.spec.directory));
  auto ended = after.await<Ended>("again");
  REQUIRE(ended);
  CHECK(ended->ago.count() > 100);
  CHECK(ended->ago.count() >= adopted - seen);
  CHECK(ended->ago.count() <= milliseconds_since_1970() - asked);
}

TEST_CASE("a program that is watched has ended when its end is told") {
  TemporaryDirectory directory;
  CHECK(run(spec_for(directory.path("x"), {"exit", "0"})).ago == 0ms);
}

TEST_CASE("what was left while nobody watched is ended when adopted") {
  TemporaryDirectory directory;
  Watch before, after;
  auto spec
      = spec_for(directory.path("x"), {"stubborn", directory.path("pids")});
  REQUIRE(before.monitor().start("program", spec));
  auto pids = await_pids(directory.path("pids"), 4);
  REQUIRE(before.await<Started>("program"));
  before.forget();
  auto state = state_in(spec.directory);
  ::kill(state.guard.pid, SIGKILL);
  ::kill(state.supervisor.pid, SIGKILL);
  REQUIRE(after.monitor().adopt("again", spec.directory));
  REQUIRE(after.await<SupervisorLost>("again"));
  CHECK(have_ended(pids));
}

TEST_CASE("nothing can be adopted where nothing was started") {
  TemporaryDirectory directory;
  Watch watch;
  for (const auto& path : {directory.path(), directory.path("absent")}) {
    auto status = watch.monitor().adopt("program", path);
    REQUIRE_FALSE(status);
    CHECK(status.code() == Errc::not_found);
    CHECK(status.error().message.find('\n') == std::string::npos);
  }
  CHECK(watch.reports("program").empty());
  CHECK(watch.monitor().wait_until_empty(0ms));
}

TEST_CASE("nothing is started any more when the worker has died meanwhile") {
  AdoptFixture x;
  REQUIRE(prepare_directory(x.spec.directory));
  auto launched = launch_supervisor(TEST_PROGRAM);
  REQUIRE(launched);
  auto signal_guard = [&](int signal) {
    return ::syscall(SYS_pidfd_send_signal, launched->guard.get(), signal,
                     nullptr, 0)
           == 0;
  };
  // It reads the launch only after the end of the worker.
  REQUIRE(signal_guard(SIGSTOP));
  auto line = to_json(Launch{make_token(), x.spec}) + '\n';
  REQUIRE(::send(launched->connection.get(), line.data(), line.size(), 0)
          == static_cast<ssize_t>(line.size()));
  launched->connection.reset();
  REQUIRE(signal_guard(SIGCONT));
  Watch after;
  REQUIRE(eventually([&] {
    return bool{after.monitor().adopt("program", x.spec.directory)};
  }));
  CHECK(after.await<SupervisorLost>("program"));
  CHECK(after.monitor().wait_until_empty(patience));
  CHECK(after.reports("program").size() == 1);
  CHECK(state_in(x.spec.directory).program.pid == 0);
}

TEST_CASE("the monitor that came last is in charge") {
  AdoptFixture x;
  Watch first, second;
  x.start(first);
  REQUIRE(second.monitor().adopt("again", x.spec.directory));
  REQUIRE(second.await<Started>("again"));
  first.monitor().end("program"); // to no avail
  second.monitor().end("again");
  auto ended = second.await<Ended>("again");
  REQUIRE(ended);
  CHECK(ended->requested);
  // The first learns of the end as well, from what was written down.
  CHECK(first.await<Ended>("program"));
}

TEST_CASE("a key can be used again after its last report only") {
  AdoptFixture x;
  Watch watch;
  x.start(watch);
  auto other = spec_for(x.directory.path("y"), {"exit", "0"});
  CHECK_FALSE(watch.monitor().start("program", other));
  CHECK_FALSE(watch.monitor().adopt("program", x.spec.directory));
  watch.monitor().end("program");
  REQUIRE(watch.await<Ended>("program"));
  CHECK(watch.monitor().start("program", other));
}

TEST_CASE("a directory serves one program at a time") {
  AdoptFixture x;
  Watch watch;
  auto pid = x.start(watch);
  REQUIRE(watch.monitor().start("second", x.spec));
  auto refused = watch.await<CouldNotStart>("second");
  REQUIRE(refused);
  CHECK(refused->error == EBUSY);
  CHECK_FALSE(has_ended(pid));
  CHECK(state_in(x.spec.directory).program.pid == pid);
}
