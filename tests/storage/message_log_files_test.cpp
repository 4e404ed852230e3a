// Files of a message log: size limit, rotation, and reading over them.

#include "storage/message_log_files.hpp"

#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <filesystem>
#include <functional>

#include "scheduling/master/cluster.hpp"
#include "storage/message_log.hpp"
#include "storage/replay.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/unprivileged.hpp"

using namespace stoker;
using stoker::test::TemporaryDirectory;
using stoker::test::Unprivileged;

namespace {

bool exists(const std::string& path) {
  return std::filesystem::exists(path);
}

/// A master's life of so many heartbeats.
void record(const std::string& path, int heartbeats, MessageLogLimits limits) {
  ClusterConfig config;
  Cluster cluster{config};
  MessageLogWriter writer{path, config, limits};
  Instant at{};
  auto step = [&](const Event& event) {
    at += Duration{1};
    REQUIRE(writer.append(at, {}, event, cluster.step(at, event)));
  };
  step(ElectedLeader{});
  step(RegisterWorker{WorkerId{"w1"}, EndpointId{"e1"}, "h1", 0, 4, 4096});
  for (int i = 0; i < heartbeats; ++i)
    step(Heartbeat{WorkerId{"w1"}, EndpointId{"e1"}});
}

std::string problem_of_beginning(const std::string& path, int files = 4) {
  try {
    MessageLogWriter writer{path, ClusterConfig{}, {0, files}};
  } catch (const std::runtime_error& e) {
    return e.what();
  }
  return {};
}

std::string problem_of(const std::function<void()>& what) {
  try {
    what();
  } catch (const std::runtime_error& e) {
    return e.what();
  }
  return {};
}

/// No file can have a byte more, as on a full disk.
class NoRoom {
public:
  NoRoom() : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    REQUIRE(getrlimit(RLIMIT_FSIZE, &before_) == 0);
    auto none = before_;
    none.rlim_cur = 0;
    REQUIRE(setrlimit(RLIMIT_FSIZE, &none) == 0);
  }

  ~NoRoom() {
    setrlimit(RLIMIT_FSIZE, &before_);
    static_cast<void>(std::signal(SIGXFSZ, handler_));
  }

  NoRoom(const NoRoom&) = delete;
  NoRoom& operator=(const NoRoom&) = delete;

private:
  rlimit before_{};
  void (*handler_)(int);
};

std::string problem_without_room(const std::string& path, int files) {
  NoRoom none;
  MessageLogWriter writer{path, ClusterConfig{}, {0, files}};
  return writer.problem();
}

MessageLogHeader header_of(const std::string& path) {
  return MessageLogReader{std::vector{path}}.header();
}

} // namespace

TEST_CASE("a log that reaches its limit goes on in another file",
          "[storage][log-files]") {
  TemporaryDirectory directory;
  auto path = directory.path("log");
  record(path, 100, {2000, 100});
  auto files = message_log_files(path);
  REQUIRE(files.size() > 3);
  CHECK(files.front() == path + '.' + std::to_string(files.size() - 1));
  CHECK(files.back() == path);
  std::uint64_t segment = 1;
  for (const auto& file : files) {
    INFO(file);
    CHECK(std::filesystem::file_size(file) <= 2000);
    CHECK(header_of(file).segment == segment++);
    CHECK(header_of(file).series == header_of(path).series);
    CHECK(header_of(file).config == ClusterConfig{});
  }
  CHECK(header_of(path).first_step > 80);
}

TEST_CASE("a log in several files replays as one", "[storage][log-files]") {
  TemporaryDirectory directory;
  auto path = directory.path("log");
  record(path, 100, {2000, 100});
  auto files = message_log_files(path);
  // Whichever of them is named.
  for (const auto& file : files) {
    INFO(file);
    CHECK(message_log_files(file) == files);
    auto result = replay_file(file);
    REQUIRE(result);
    CHECK(result->steps == 102);
    CHECK(result->problem().empty());
  }
}

TEST_CASE("no more files are kept than was asked for", "[storage][log-files]") {
  TemporaryDirectory directory;
  auto path = directory.path("log");
  record(path, 200, {4000, 3});
  CHECK(message_log_files(path).size() == 3);
  CHECK_FALSE(exists(path + ".3"));
  record(directory.path("one"), 200, {4000, 1});
  CHECK(message_log_files(directory.path("one")).size() == 1);
  CHECK_FALSE(exists(directory.path("one.1")));
}

TEST_CASE("a log whose beginning was dropped can be read, but not replayed",
          "[storage][log-files]") {
  TemporaryDirectory directory;
  auto path = directory.path("log");
  record(path, 200, {4000, 2});
  MessageLogReader reader{message_log_files(path)};
  auto first = reader.header().first_step;
  CHECK(first > 100);
  std::uint64_t last = 0;
  while (auto step = reader.next())
    last = step->number;
  CHECK(last == 202);
  auto replay = replay_file(path);
  CHECK(replay.code() == Errc::unreadable);
  CHECK(replay.error().message
        == "the log's beginning is gone, its first step is number "
               + std::to_string(first)
               + ": replaying needs every step; keep more of them with "
                 "--log-max-size and --log-files");
}

TEST_CASE("a step that is larger than a file may be is written whole",
          "[storage][log-files]") {
  TemporaryDirectory directory;
  auto path = directory.path("log");
  record(path, 5, {10, 100});
  CHECK(message_log_files(path).size() == 7);
  CHECK(replay_file(path)->steps == 7);
}

TEST_CASE("a log without a limit stays in one file", "[storage][log-files]") {
  TemporaryDirectory directory;
  auto path = directory.path("log");
  record(path, 2000, {0, 4});
  CHECK(message_log_files(path).size() == 1);
}

TEST_CASE("the log of the master before is kept", "[storage][log-files]") {
  TemporaryDirectory directory;
  auto path = directory.path("log");
  record(path, 1, {});
  auto before = directory.read("log");
  record(path, 2, {});
  CHECK(directory.read("log.1") == before);
  CHECK(replay_file(path)->steps == 4);
  CHECK(replay_file(path + ".1")->steps == 3);
}

TEST_CASE("logs of before stay as they are where there is no room for another",
          "[storage][log-files]") {
  TemporaryDirectory directory;
  auto path = directory.path("log");
  const auto files = GENERATE(1, 2, 4);
  auto why = "cannot write the message log " + path + ": File too large";
  CHECK(problem_without_room(path, files) == why);
  CHECK_FALSE(exists(path));
  record(path, 1, {0, files});
  record(path, 2, {0, files});
  auto last = directory.read("log");
  auto older = files > 1 ? directory.read("log.1") : std::string{};
  CHECK(problem_without_room(path, files) == why);
  CHECK(directory.read("log") == last);
  CHECK(exists(path + ".1") == (files > 1));
  CHECK((files == 1 || directory.read("log.1") == older));
  CHECK_FALSE(exists(path + ".2"));
  CHECK_FALSE(exists(path + ".next"));
  record(path, 3, {0, files});
  CHECK(replay_file(path)->steps == 5);
  CHECK((files == 1 || directory.read("log.1") == last));
}

TEST_CASE("what was begun of a log when its master was killed is overwritten",
          "[storage][log-files]") {
  TemporaryDirectory directory;
  auto path = directory.path("log");
  record(path, 1, {});
  auto before = directory.read("log");
  directory.write("log.next", before + before);
  record(path, 2, {});
  CHECK(replay_file(path)->steps == 4);
  CHECK(directory.read("log.1") == before);
  CHECK_FALSE(exists(path + ".next"));
}

TEST_CASE("what is no log is not overwritten", "[storage][log-files]") {
  TemporaryDirectory directory;
  auto path = directory.write("log", "a letter");
  CHECK(problem_of_beginning(path)
        == "cannot write the message log " + path + ": " + path
               + " is something else; move it away, or choose another name");
  CHECK(directory.read("log") == "a letter");

  directory.write("next.next", "a letter");
  CHECK(problem_of_beginning(directory.path("next"))
            .find("next.next is something else")
        != std::string::npos);

  path = directory.path("other");
  directory.write("other.2", "a letter");
  CHECK(problem_of_beginning(path).find(path + ".2 is something else")
        != std::string::npos);
  CHECK_FALSE(exists(path));
  // It does not stand in the way of two files.
  CHECK(problem_of_beginning(path, 2).empty());
}

TEST_CASE("a log that another user's file keeps from beginning says the reason",
          "[storage][log-files]") {
  TemporaryDirectory directory;
  auto path = directory.path("log");
  std::string which;
  SECTION("at its own name") {
    directory.write("log", "a letter");
  }
  SECTION("at the name of an older file") {
    directory.write("log.1", "a letter");
    which = path + ".1: ";
  }
  auto others = which.empty() ? path : path + ".1";
  REQUIRE(chmod(others.c_str(), 0) == 0);
  {
    Unprivileged user{directory.path(".")};
    MessageLogWriter writer{path, ClusterConfig{}};
    CHECK(writer.problem()
          == "cannot write the message log " + path + ": " + which
                 + "Permission denied");
    CHECK_FALSE(writer.append(Instant{}, {}, ElectedLeader{}, {}));
    CHECK(chmod(others.c_str(), 0600) == 0);
  }
  // It was neither changed nor moved.
  CHECK(directory.read(which.empty() ? "log" : "log.1") == "a letter");
}

TEST_CASE("a log in a directory that takes no file is lost, and no error",
          "[storage][log-files]") {
  TemporaryDirectory directory;
  Unprivileged user{directory.path(".")};
  REQUIRE(chmod(directory.path(".").c_str(), 0500) == 0);
  auto path = directory.path("log");
  MessageLogWriter writer{path, ClusterConfig{}};
  CHECK(chmod(directory.path(".").c_str(), 0700) == 0);
  CHECK(writer.problem()
        == "cannot write the message log " + path + ": Permission denied");
}

TEST_CASE("a file that is missing in the middle ends the search for files",
          "[storage][log-files]") {
  TemporaryDirectory directory;
  auto path = directory.path("log");
  record(path, 100, {2000, 100});
  auto count = message_log_files(path).size();
  REQUIRE(count > 4);
  std::filesystem::remove(path + ".2");
  CHECK(message_log_files(path) == std::vector{path + ".1", path});
  CHECK(message_log_files(path + ".3").size() == count - 3);
}

TEST_CASE("files that do not follow each other are an error",
          "[storage][log-files]") {
  TemporaryDirectory directory;
  auto path = directory.path("log");
  record(path, 100, {2000, 100});
  auto files = message_log_files(path);
  MessageLogReader reader{std::vector{files.at(0), files.at(2)}};
  auto problem = problem_of([&] {
    while (reader.next())
      continue;
  });
  CHECK(problem.find("does not follow " + files.at(0)) != std::string::npos);
}

TEST_CASE("an older file that was cut off is an error",
          "[storage][log-files]") {
  TemporaryDirectory directory;
  auto path = directory.path("log");
  record(path, 100, {2000, 100});
  auto text = directory.read("log.1");
  directory.write("log.1", text.substr(0, text.size() - 5));
  CHECK(replay_file(path).error().message.find("does not follow")
        != std::string::npos);
}

TEST_CASE("a log that cannot be read is an error", "[storage][log-files]") {
  TemporaryDirectory directory;
  auto problem = [](const std::string& file) {
    auto replay = replay_file(file);
    CHECK(replay.code() == Errc::unreadable);
    CHECK(log_kind(file).error().message == replay.error().message);
    return replay.error().message;
  };
  auto path = directory.path("missing");
  CHECK(problem(path)
        == "cannot read the message log " + path
               + ": No such file or directory");
  CHECK(problem("/dev/null")
        == "cannot read the message log /dev/null: not a regular file");
  path = directory.write("text", "hello\n");
  CHECK(problem(path) == path + ": not a message log of Stoker");
}

TEST_CASE("of two writers of a log the second one is refused",
          "[storage][log-files]") {
  TemporaryDirectory directory;
  auto path = directory.path("log");
  const auto files = GENERATE(1, 4);
  ClusterConfig config;
  Cluster cluster{config};
  Instant at{};
  {
    MessageLogWriter first{path, config, {1000, files}};
    // Also when it has begun another file.
    for (int i = 0; i < 20; ++i) {
      at += Duration{1};
      REQUIRE(first.append(at, {}, ElectedLeader{}, {}));
    }
    first.flush();
    REQUIRE(exists(path + ".1") == (files > 1));
    auto before = directory.read("log");
    CHECK(problem_of_beginning(path)
          == "cannot write the message log " + path
                 + ": another process writes there; choose another name");
    CHECK(directory.read("log") == before);
    CHECK(first.problem().empty());
  }
  CHECK(problem_of_beginning(path).empty());
}

TEST_CASE("why a log ends is told with its name", "[storage][log-files]") {
  TemporaryDirectory directory;
  auto path = directory.path("log");
  ClusterConfig config;
  MessageLogWriter writer{path, config, {1000, 2}};
  // No file takes its place.
  std::filesystem::create_directories(path + ".1/full");
  auto good = true;
  for (int i = 0; good && i < 1000; ++i) {
    good = writer.append(Instant{}, {}, ElectedLeader{}, {});
    writer.flush();
  }
  CHECK_FALSE(good);
  CHECK(writer.problem()
        == "cannot write the message log " + path + ": Is a directory");
}
