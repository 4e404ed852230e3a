// Two workers of a machine with one resources file: embedding/resources_lock.hpp.

#include "embedding/resources_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <string>

#include "tests/support/catch.hpp"
#include "tests/support/skip.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace stoker;
using namespace stoker::test;

namespace {

constexpr uid_t nobody = 65534;

/// A machine with a resources file.
struct ResourcesFile {
  TemporaryDirectory directory;
  ResourceDiscovery plan;

  ResourcesFile() {
    write();
    plan.file = directory.path("resources.json");
  }

  void write() {
    directory.write("resources.json", R"([
      {"id": {"componentName": "spark.worker", "resourceName": "gpu"},
       "addresses": ["4", "5"]}])");
  }

  [[nodiscard]] Result<ResourcesLock>
  lock(const std::string& work, const std::string& state = "state") const {
    return lock_resources_file(plan, work, directory.path(state));
  }

  [[nodiscard]] std::string problem() const {
    auto result = lock("/second");
    return result ? "" : result.error().message;
  }
};

/// A process of another user that has locked a file, or tells why it cannot.
class LockingProcess {
public:
  LockingProcess(const std::string& file, uid_t user) {
    int ready[2];
    REQUIRE(::pipe(ready) == 0);
    pid_ = ::fork();
    REQUIRE(pid_ >= 0);
    if (pid_ == 0) {
      ::alarm(100);
      auto fd = ::open(file.c_str(), O_RDONLY);
      if (::setresuid(user, user, user) != 0 || ::flock(fd, LOCK_EX) != 0
          || ::write(ready[1], "x", 1) != 1)
        ::_exit(1);
      for (;;)
        ::pause();
    }
    ::close(ready[1]);
    char x = 0;
    has_locked_ = ::read(ready[0], &x, 1) == 1;
    ::close(ready[0]);
  }

  ~LockingProcess() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }

  LockingProcess(const LockingProcess&) = delete;
  LockingProcess& operator=(const LockingProcess&) = delete;

  [[nodiscard]] bool has_locked() const {
    return has_locked_;
  }
  [[nodiscard]] std::string name() const {
    return "process " + std::to_string(pid_);
  }

private:
  pid_t pid_ = -1;
  bool has_locked_ = false;
};

} // namespace

TEST_CASE("a resources file is refused while another worker has it",
          "[resources]") {
  ResourcesFile x;
  {
    auto first = x.lock("/first");
    REQUIRE(first);
    CHECK(first->warning.empty());
    CHECK(x.problem()
          == "another worker on this machine offers the resources in "
                 + x.plan.file + " (process " + std::to_string(::getpid())
                 + " in /first): give each worker its own file, or start both "
                   "with one command, as stoker worker --instances 2, which "
                   "divides the resources");
  }
  CHECK(x.problem().empty());
}

TEST_CASE("a resources file that is replaced stays locked", "[resources]") {
  ResourcesFile x;
  SECTION("itself") {
    auto first = x.lock("/first");
    REQUIRE(first);
    std::filesystem::remove(x.plan.file);
    x.write();
    CHECK(x.problem().find("in /first") != std::string::npos);
  }
  SECTION("by a link to another file") {
    std::filesystem::copy(x.plan.file, x.directory.path("other.json"));
    auto link = x.directory.path("link.json");
    std::filesystem::create_symlink("resources.json", link);
    x.plan.file = link;
    auto first = x.lock("/first");
    REQUIRE(first);
    std::filesystem::remove(link);
    std::filesystem::create_symlink("other.json", link);
    CHECK(x.problem().find("in /first") != std::string::npos);
  }
}

TEST_CASE("a resources file is refused under another name", "[resources]") {
  ResourcesFile x;
  auto first = x.lock("/first");
  REQUIRE(first);
  std::filesystem::create_symlink(x.plan.file, x.directory.path("link.json"));
  x.plan.file = x.directory.path("link.json");
  CHECK(x.problem().find("in /first") != std::string::npos);
}

TEST_CASE("workers with different state directories share the lock of a "
          "resources file",
          "[resources]") {
  ResourcesFile x;
  auto first = x.lock("/first");
  REQUIRE(first);
  auto second = x.lock("/second", "elsewhere");
  REQUIRE_FALSE(second);
  CHECK(second.error().message.find("(process " + std::to_string(::getpid())
                                    + " of the user with id "
                                    + std::to_string(::geteuid()) + ")")
        != std::string::npos);
  // No directory can be where a file is.
  x.directory.write("file", "");
  CHECK_FALSE(x.lock("/third", "file"));
}

TEST_CASE("another user's lock of a resources file counts unless the file is "
          "one's own",
          "[resources]") {
  if (::geteuid() != 0)
    return skip("only root can become another user");
  ResourcesFile x;
  LockingProcess other{x.plan.file, nobody};
  REQUIRE(other.has_locked());
  SECTION("its own") {
    auto lock = x.lock("/first");
    REQUIRE(lock);
    CHECK(lock->warning.starts_with(other.name()
                                    + " of the user with id 65534 has locked "
                                      "the resources file "
                                    + x.plan.file));
    CHECK_FALSE(x.problem().empty());
  }
  SECTION("the other user's") {
    REQUIRE(::chown(x.plan.file.c_str(), nobody, nobody) == 0);
    CHECK(x.problem().find('(' + other.name() + " of the user with id 65534)")
          != std::string::npos);
  }
}
