#include <fcntl.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "process/directory.hpp"
#include "process/output_reader.hpp"
#include "tests/process/support.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/skip.hpp"

using namespace stoker::process;
using namespace stoker::process::test;

namespace {

/// A file system of its own, if we may mount one.
class SmallDisk {
public:
  SmallDisk(std::string path, const char* options) : path_(std::move(path)) {
    std::filesystem::create_directories(path_);
    mounted_ = ::mount("none", path_.c_str(), "tmpfs", 0, options) == 0;
    if (!mounted_)
      stoker::test::skip("cannot mount a file system: "
                         + std::string{std::strerror(errno)});
  }

  ~SmallDisk() {
    if (mounted_)
      ::umount2(path_.c_str(), MNT_DETACH);
  }

  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;

  /// If not, the test has been skipped.
  [[nodiscard]] bool mounted() const {
    return mounted_;
  }

  void make_read_only() const {
    REQUIRE(
        ::mount("none", path_.c_str(), nullptr, MS_REMOUNT | MS_RDONLY, nullptr)
        == 0);
  }

private:
  std::string path_;
  bool mounted_ = false;
};

/// Writes that many bytes to a file, or until the disk is full.
void fill(const std::string& file, long bytes) {
  auto fd = ::open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  REQUIRE(fd >= 0);
  std::string block(4096, '#');
  while (bytes > 0 && ::write(fd, block.data(), block.size()) > 0)
    bytes -= static_cast<long>(block.size());
  ::close(fd);
}

/// As the kernel counts them, whatever became of them.
long bytes_written_by(pid_t pid) {
  std::ifstream in{"/proc/" + std::to_string(pid) + "/io"};
  std::string name;
  for (long value = 0; in >> name >> value;)
    if (name == "wchar:")
      return value;
  return 0;
}

std::string error_of_start(const std::string& directory) {
  Watch watch;
  auto status
      = watch.monitor().start("program", spec_for(directory, {"exit", "0"}));
  REQUIRE_FALSE(status);
  auto message = status.error().message;
  CHECK(message.find('\n') == std::string::npos);
  CHECK(watch.monitor().wait_until_empty(0ms));
  return message;
}

UniqueFd connect_to(const std::string& directory) {
  auto opened = Directory::open(directory);
  REQUIRE(std::holds_alternative<Directory>(opened));
  auto result = std::get<Directory>(opened).connect();
  REQUIRE(result);
  return result;
}

/// Whether the peer closes the connection.
bool is_cut_off(const UniqueFd& connection) {
  return eventually([&] {
    char byte = 0;
    return ::recv(connection.get(), &byte, 1, MSG_DONTWAIT) == 0
           || errno == ECONNRESET;
  });
}

/// A program that writes more than a small disk holds, and all of it is kept.
struct FullDiskFixture {
  TemporaryDirectory directory;
  SmallDisk disk{directory.path("disk"), "size=512k"};
  LaunchSpec spec;
  Watch watch;

  void write_until_full(int lines) {
    spec = spec_for(directory.path("disk/x"),
                    {"count_lines", std::to_string(lines)});
    spec.kept_output = {0, 0};
    REQUIRE(watch.monitor().start("program", spec));
    REQUIRE(watch.await<Started>("program"));
    REQUIRE(eventually(
        [&] { return state_in(spec.directory).output_error == ENOSPC; }));
  }
};

} // namespace

TEST_CASE("a directory that cannot be made is an error in one line") {
  TemporaryDirectory directory;
  std::ofstream{directory.path("file")} << "text";
  CHECK(error_of_start(directory.path("file/x")).find("cannot create directory")
        == 0);
  CHECK(error_of_start(directory.path("file")).find("cannot create directory")
        == 0);
}

TEST_CASE("a read-only directory is an error in one line") {
  TemporaryDirectory directory;
  SmallDisk disk{directory.path("disk"), "size=64k"};
  if (!disk.mounted())
    return;
  std::filesystem::create_directory(directory.path("disk/x"));
  disk.make_read_only();
  for (const auto* name : {"disk/x", "disk/y"})
    CHECK(error_of_start(directory.path(name)).find("Read-only file system")
          != std::string::npos);
}

TEST_CASE("a supervisor that cannot be executed is an error in one line") {
  TemporaryDirectory directory;
  Watch watch{MonitorConfig{"/no/such/stoker"}};
  auto status = watch.monitor().start(
      "program", spec_for(directory.path("x"), {"exit", "0"}));
  REQUIRE_FALSE(status);
  CHECK(status.error().message
        == "cannot execute the supervisor '/no/such/stoker': No such file or "
           "directory");
  CHECK(watch.monitor().wait_until_empty(0ms));
}

TEST_CASE("an executable that does not supervise is reported") {
  TemporaryDirectory directory;
  Watch watch{MonitorConfig{"/bin/true"}};
  REQUIRE(watch.monitor().start("program",
                                spec_for(directory.path("x"), {"exit", "0"})));
  CHECK(watch.await<SupervisorLost>("program"));
}

TEST_CASE("a disk that is full from the start is reported") {
  TemporaryDirectory directory;
  SmallDisk disk{directory.path("disk"), "size=64k"};
  if (!disk.mounted())
    return;
  fill(directory.path("disk/filler"), 1024 * 1024);
  Watch watch;
  REQUIRE(watch.monitor().start(
      "program", spec_for(directory.path("disk/x"), {"exit", "0"})));
  auto failed = watch.await<CouldNotStart>("program");
  REQUIRE(failed);
  CHECK(failed->error == ENOSPC);
}

// The program writes more than fits. It must not notice, its end must be kept,
// and where output is missing the log must say so.
TEST_CASE("a program goes on when the disk is full") {
  TemporaryDirectory directory;
  SmallDisk disk{directory.path("disk"), "size=512k"};
  if (!disk.mounted())
    return;
  // Half of the disk, to be given back later.
  fill(directory.path("disk/filler"), 256 * 1024);
  auto spec = spec_for(directory.path("disk/x"),
                       {"write_until", directory.path("stop")});
  Watch watch;
  REQUIRE(watch.monitor().start("program", spec));
  auto started = watch.await<Started>("program");
  REQUIRE(started);
  // So much that output has been lost, whatever a pipe holds.
  REQUIRE(eventually(
      [&] { return bytes_written_by(started->pid) >= 1024 * 1024; }));
  SECTION("to its end") {
  }
  SECTION("until there is room again") {
    std::filesystem::remove(directory.path("disk/filler"));
    REQUIRE(eventually([&] {
      return output_of(spec.directory)
                 .find("bytes of output were lost: No space left on device\n")
             != std::string::npos;
    }));
  }
  std::ofstream{directory.path("stop")} << "now";
  auto ended = watch.await<Ended>("program");
  REQUIRE(ended);
  CHECK(without_use(*ended) == Ended{5, std::nullopt, false});
  CHECK(state_in(spec.directory).phase == Phase::ended);
}

// The program must notice nothing but that it is slow.
TEST_CASE_METHOD(FullDiskFixture,
                 "a program waits for a full disk if its output is kept") {
  if (!disk.mounted())
    return;
  fill(directory.path("disk/filler"), 256 * 1024);
  write_until_full(20'000);
  SECTION("until there is room again") {
    std::filesystem::remove(directory.path("disk/filler"));
    auto ended = watch.await<Ended>("program");
    REQUIRE(ended);
    CHECK(ended->exit_code == 0);
    CHECK(output_of(spec.directory).size() == 320'000);
    CHECK(state_in(spec.directory).output_error == 0);
    CHECK(state_in(spec.directory).lost_output == 0);
  }
  SECTION("until it is told to end, and what was lost then is counted") {
    watch.monitor().end("program");
    REQUIRE(watch.await<Ended>("program"));
    CHECK(state_in(spec.directory).lost_output > 0);
  }
}

TEST_CASE_METHOD(
    FullDiskFixture,
    "a kept output passes through a disk that is smaller than it") {
  if (!disk.mounted())
    return;
  write_until_full(200'000);
  std::int64_t offset = 0;
  CHECK(eventually([&] {
    auto part = read_log(spec.directory, LogStream::out, offset, 100'000);
    REQUIRE(part);
    CHECK(part->offset == offset);
    offset += static_cast<std::int64_t>(part->data.size());
    watch.monitor().keep_output("program", {offset, 0});
    return offset == 3'200'000;
  }));
  auto ended = watch.await<Ended>("program");
  REQUIRE(ended);
  CHECK(ended->exit_code == 0);
  CHECK(state_in(spec.directory).lost_output == 0);
}

TEST_CASE("nonsense on the control socket disturbs nobody") {
  TemporaryDirectory directory;
  Watch watch;
  auto spec = spec_for(directory.path("x"), {"sleep"});
  REQUIRE(watch.monitor().start("program", spec));
  auto started = watch.await<Started>("program");
  REQUIRE(started);
  auto say = [&](const std::string& text) {
    auto connection = connect_to(spec.directory);
    // The peer may close while we speak.
    ::send(connection.get(), text.data(), text.size(), MSG_NOSIGNAL);
    return connection;
  };
  CHECK(is_cut_off(say("nonsense\n")));
  CHECK(is_cut_off(say("{\"version\":2,\"request\":\"end\"}\n")));
  CHECK(is_cut_off(say(std::string("\0\xff\n", 3))));
  CHECK(is_cut_off(say(std::string(80 * 1024, 'x'))));
  CHECK(is_cut_off(say(std::string(3000, '[') + "\n")));
  std::vector<UniqueFd> idle;
  for (int i = 0; i < 30; ++i)
    idle.push_back(say("incomplete"));
  CHECK_FALSE(has_ended(started->pid));
  watch.monitor().end("program");
  auto ended = watch.await<Ended>("program");
  REQUIRE(ended);
  CHECK(ended->requested);
}

TEST_CASE("a directory's path may be longer than a socket's address") {
  TemporaryDirectory directory;
  Watch before, after;
  auto path
      = directory.path(std::string(100, 'a') + "/" + std::string(100, 'b'));
  REQUIRE(before.monitor().start("program", spec_for(path, {"sleep"})));
  REQUIRE(before.await<Started>("program"));
  before.forget();
  REQUIRE(after.monitor().adopt("again", path));
  CHECK(after.await<Started>("again"));
}
