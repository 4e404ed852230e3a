#include <fcntl.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <limits>

#include "process/directory.hpp"
#include "process/output_files.hpp"
#include "process/output_reader.hpp"
#include "tests/process/support.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/resource_limit.hpp"

using namespace stoker::process;
using namespace stoker::process::test;
using stoker::Errc;

namespace {

/// A log of small files, and what was written to it.
struct LogFixture {
  TemporaryDirectory directory;
  UniqueFd fd{::open(directory.path().c_str(), O_RDONLY | O_DIRECTORY)};

  LogWriter writer(std::int64_t bytes_max = 10, int files = 3) const {
    LogWriter result{fd.get(), "stdout", bytes_max, files};
    REQUIRE(result.open() == 0);
    return result;
  }

  [[nodiscard]] std::size_t files() const {
    auto listed = list_log_files(fd.get(), "stdout");
    REQUIRE(std::holds_alternative<std::vector<LogFile>>(listed));
    return std::get<std::vector<LogFile>>(listed).size();
  }

  [[nodiscard]] LogPart read(std::int64_t offset,
                             std::size_t limit = 1000) const {
    auto result = read_log(directory.path(), LogStream::out, offset, limit);
    REQUIRE(result);
    return *result;
  }
};

} // namespace

TEST_CASE("offsets stay the same when older output is rotated away") {
  LogFixture x;
  auto log = x.writer();
  log.write("0123456789abcdefghijABCDE");
  CHECK(x.read(0).data == "0123456789abcdefghijABCDE");
  CHECK(x.read(12).data == "cdefghijABCDE");
  log.write("FGHIJ!");
  auto part = x.read(0);
  CHECK(part.data == "abcdefghijABCDEFGHIJ!");
  CHECK(part.offset == 10);
  CHECK(part.end == 31);
  CHECK(x.read(25).data == "FGHIJ!");
}

TEST_CASE("a reader learns what was taken from a log besides rotation") {
  LogFixture x;
  auto log = x.writer();
  auto remove = [&](const std::string& start) {
    REQUIRE(std::filesystem::remove(x.directory.path("stdout." + start)));
  };
  log.write("0123456789abcdefghijABCDE");
  CHECK(x.read(0).gone == 0);
  remove("00000000000000000000");
  CHECK(x.read(0).data == "abcdefghijABCDE");
  CHECK(x.read(0).gone == 10);
  CHECK(x.read(4).gone == 6);
  CHECK(x.read(12).gone == 0);
  // The oldest file is rotated away, and the next one is taken.
  log.write("FGHIJ0123456789!");
  CHECK(x.read(0).offset == 20);
  CHECK(x.read(0).gone == 0);
  remove("00000000000000000020");
  CHECK(x.read(0).offset == 30);
  CHECK(x.read(0).gone == 10);
  // The next program of the directory has a log of its own.
  x.writer().write("next");
  CHECK(x.read(0).gone == 0);
}

TEST_CASE("a reader learns that a log was cut off") {
  LogFixture x;
  auto log = x.writer(100);
  log.write("0123456");
  std::filesystem::resize_file(x.directory.path("stdout"), 0);
  log.write("after");
  auto part = x.read(0);
  CHECK(part.data == "after");
  CHECK(part.offset == 7);
  CHECK(part.gone == 7);
}

TEST_CASE("a reader asks for the last bytes, for a few, or beyond the end") {
  LogFixture x;
  auto log = x.writer();
  log.write("0123456789abcdefghij");
  CHECK(x.read(-3).data == "hij");
  CHECK(x.read(-3).offset == 17);
  CHECK(x.read(-1000).data == "0123456789abcdefghij");
  CHECK(x.read(8, 4).data == "89ab");
  CHECK(x.read(20).data.empty());
  CHECK(x.read(1000).data.empty());
  CHECK(x.read(1000).offset == 20);
  CHECK(x.read(0, 0).end == 20);
}

TEST_CASE("an empty log can be read, an absent one is an error") {
  LogFixture x;
  auto nothing = read_log(x.directory.path(), LogStream::out, 0, 10);
  CHECK(nothing.code() == Errc::unreadable);
  CHECK(read_log(x.directory.path("absent"), LogStream::out, 0, 10).code()
        == Errc::unreadable);
  auto log = x.writer();
  CHECK(x.read(0).end == 0);
  CHECK(x.read(-5).offset == 0);
}

TEST_CASE("a log takes the place of an earlier program's") {
  LogFixture x;
  x.writer().write("0123456789abc");
  x.writer().write("def");
  CHECK(x.read(0).data == "def");
  CHECK(x.files() == 1);
}

TEST_CASE("a log can consist of a single file") {
  LogFixture x;
  auto log = x.writer(10, 1);
  log.write("0123456789abcdefghijABC");
  CHECK(x.read(0).data == "ABC");
  CHECK(x.read(0).offset == 20);
  CHECK(x.files() == 1);
}

TEST_CASE("the plain name leads to the newest file") {
  LogFixture x;
  auto log = x.writer();
  log.write("0123456789abcd");
  CHECK(std::filesystem::file_size(x.directory.path("stdout")) == 4);
}

TEST_CASE("a log takes nothing that would cost a byte that is kept") {
  LogFixture x;
  auto log = x.writer(); // 3 files of 10 bytes
  log.keep_from(0);
  CHECK(log.write("0123456789abcdefghijABCDEFGHIJ!") == 30);
  CHECK(log.error() == 0);
  CHECK(log.write("!") == 0);
  // A file goes as a whole.
  log.keep_from(9);
  CHECK(log.write("!") == 0);
  log.keep_from(10);
  CHECK(log.write("!?") == 2);
  CHECK(log.end() == 32);
  CHECK(x.read(0).data == "abcdefghijABCDEFGHIJ!?");
  CHECK(log.dropped() == 0);
}

TEST_CASE("a log rotates again when nothing is kept any more") {
  LogFixture x;
  auto log = x.writer();
  log.keep_from(0);
  std::string data(100, 'x');
  CHECK(log.write(data) == 30);
  log.keep_from(std::nullopt);
  CHECK(log.write(data) == 100);
  CHECK(x.read(0).end == 130);
  CHECK(x.read(0).offset == 100);
}

TEST_CASE("what an ended program has left is written to a full log, too") {
  LogFixture x;
  auto log = x.writer();
  log.keep_from(0);
  std::string data(100, 'x');
  CHECK(log.write(data, LogWriter::Limit::ignored) == 100);
  CHECK(x.read(0).data == data);
}

TEST_CASE("a log of a single file keeps what it has to") {
  LogFixture x;
  auto log = x.writer(10, 1);
  log.keep_from(0);
  CHECK(log.write("0123456789abcdefghijABC") == 20);
  log.keep_from(20);
  CHECK(log.write("ABC") == 3);
  CHECK(x.read(0).data == "ABC");
}

TEST_CASE("a stamp differs when something was written, also in a new file") {
  LogFixture x;
  CHECK_FALSE(stamp_of(x.directory.path()));
  auto log = x.writer(10, 2);
  LogWriter errors{x.fd.get(), "stderr", 10, 2};
  REQUIRE(errors.open() == 0);
  std::ofstream{x.directory.path("state.json")} << "{}";
  auto stamp = stamp_of(x.directory.path());
  REQUIRE(stamp);
  CHECK(stamp == stamp_of(x.directory.path()));
  // Each file may have the size, and the inode, of the one that has gone.
  for (int i = 0; i < 5; ++i) {
    log.write("0123456789");
    auto next = stamp_of(x.directory.path());
    CHECK(next != stamp);
    stamp = next;
  }
  errors.write("x");
  CHECK(stamp_of(x.directory.path()) != stamp);
}

TEST_CASE("a log goes on at its offset when its file is taken away") {
  LogFixture x;
  auto log = x.writer(1000);
  log.write("before");
  auto file = x.directory.path("stdout.00000000000000000000");
  SECTION("removed") {
    std::filesystem::remove(file);
    log.write("after");
    auto part = x.read(0);
    CHECK(part.offset == 6);
    CHECK(part.data == "after");
  }
  SECTION("cut off") {
    std::filesystem::resize_file(file, 2);
    log.write("after");
    auto part = x.read(2);
    CHECK(part.offset == 6);
    CHECK(part.data == "after");
  }
  CHECK(log.end() == 11);
}

TEST_CASE("a log has a new file if its file has a size that overflows") {
  // Few other file systems have files of this size.
  LogFixture x{TemporaryDirectory{"/dev/shm"}};
  auto log = x.writer(1000);
  log.write("before");
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  std::filesystem::resize_file(x.directory.path("stdout.00000000000000000000"),
                               most);
  CHECK(x.read(0, 6).data == "before");
  std::ofstream{x.directory.path("stdout.00000000000000000006")};
  std::filesystem::resize_file(x.directory.path("stdout.00000000000000000006"),
                               most);
  log.write("after");
  CHECK(log.end() == 11);
  auto part = x.read(0);
  CHECK(part.data == "beforeafter");
  CHECK(part.end == 11);
  CHECK(part.beside > 0);
}

TEST_CASE("a log that cannot be read now is not one that is missing") {
  LogFixture x;
  x.writer().write("all");
  State state;
  auto opened = Directory::open(x.directory.path());
  REQUIRE(std::get<Directory>(opened).save(state) == 0);
  {
    stoker::test::ResourceLimit no_descriptors{RLIMIT_NOFILE, 0};
    CHECK(read_log(x.directory.path(), LogStream::out, 0, 10).code()
          == Errc::io);
    CHECK(read_state(x.directory.path()).code() == Errc::io);
  }
  CHECK(x.read(0).data == "all");
  CHECK(read_state(x.directory.path()));
  CHECK(read_state(x.directory.path("none")).code() == Errc::not_found);
}

TEST_CASE("what stands in the place of a log does not block its reader") {
  LogFixture x;
  REQUIRE(
      ::mkfifo(x.directory.path("stdout.00000000000000000000").c_str(), 0600)
      == 0);
  CHECK(read_log(x.directory.path(), LogStream::out, 0, 10).code()
        == Errc::unreadable);
}

TEST_CASE("a log delivers what a program appends to its present file") {
  LogFixture x;
  auto log = x.writer(100);
  auto append = [&](const std::string& text) {
    std::ofstream{x.directory.path("stdout"), std::ios::app} << text;
  };
  log.write("one\n");
  append("beside\n");
  log.write("two\n");
  append("again\n");
  log.write("three\n");
  append("last\n");
  log.close();
  auto part = x.read(0);
  CHECK(part.data == "one\nbeside\ntwo\nagain\nthree\nlast\n");
  CHECK(part.gone + part.beside == 0);
  CHECK(log.end() == part.end);
  CHECK(x.files() == 1);
}

TEST_CASE("a reader ends a file of a log where the next one begins") {
  LogFixture x;
  auto log = x.writer();
  log.write("0123456789abcdefghijABC");
  auto first = x.directory.path("stdout.00000000000000000000");
  std::ofstream{first, std::ios::app} << "beside";
  CHECK(x.read(0).data == "0123456789abcdefghijABC");
  CHECK(x.read(0).beside == 6);
  CHECK(x.read(4, 6).data == "456789");
  CHECK(x.read(4, 6).beside == 0);
  CHECK(x.read(10).data == "abcdefghijABC");
  CHECK(x.read(10).beside == 6);
  CHECK(x.read(11).beside == 0);
  CHECK(x.read(0).end == 23);
}

TEST_CASE("a log takes a new file when something else has its name") {
  LogFixture x;
  auto log = x.writer();
  log.write("0123456789");
  auto next = x.directory.path("stdout.00000000000000000010");
  UniqueFd reader;
  SECTION("a FIFO") {
    REQUIRE(::mkfifo(next.c_str(), 0600) == 0);
  }
  SECTION("a FIFO that another process reads") {
    REQUIRE(::mkfifo(next.c_str(), 0600) == 0);
    reader = UniqueFd{::open(next.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC)};
    REQUIRE(reader);
  }
  SECTION("a directory") {
    std::filesystem::create_directories(next + "/with/contents");
  }
  SECTION("a link") {
    std::filesystem::create_symlink("/dev/null", next);
  }
  CHECK(log.write("abcdefghijABC") == 13);
  CHECK(log.dropped() == 0);
  CHECK(x.read(0).data == "0123456789abcdefghijABC");
}

TEST_CASE("a reader passes over what is no file among those of a log") {
  LogFixture x;
  auto log = x.writer();
  log.write("0123456789abc");
  REQUIRE(
      ::mkfifo(x.directory.path("stdout.00000000000000099999").c_str(), 0600)
      == 0);
  CHECK(x.read(0).data == "0123456789abc");
  CHECK(x.read(0).end == 13);
  log.write("defghijABC");
  CHECK(x.read(0).data == "0123456789abcdefghijABC");
}

TEST_CASE("a state is saved when a FIFO stands in its place") {
  LogFixture x;
  auto opened = Directory::open(x.directory.path());
  const auto& directory = std::get<Directory>(opened);
  const auto* name = GENERATE("state.json.new", "state.json");
  REQUIRE(::mkfifo(x.directory.path(name).c_str(), 0600) == 0);
  State state;
  state.lost_output = 7;
  CHECK(directory.save(state) == 0);
  auto read = read_state(x.directory.path());
  REQUIRE(read);
  CHECK(read->lost_output == 7);
}
