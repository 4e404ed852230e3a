// What instances read of standard input: embedding/seekable_input.hpp.

#include "embedding/seekable_input.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <array>
#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <utility>

#include "process/unique_fd.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/resource_limit.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace stoker;
using namespace stoker::test;
using namespace std::chrono_literals;
using process::UniqueFd;

namespace {

constexpr auto patience_of_source = 30s;

/// An input, and what it has said.
class OpenedInput {
public:
  OpenedInput(int descriptor, const std::string& directory) {
    auto opened = open_seekable_input(descriptor, directory);
    INFO((opened ? "" : opened.error().message));
    REQUIRE(opened);
    source_ = *std::move(opened);
    source_->on_arrival([this] {
      std::lock_guard lock{mutex_};
      arrived_ = true;
      changed_.notify_all();
    });
  }

  SeekableInput& source() {
    return *source_;
  }

  /// Reads, and waits for something to read.
  Result<InputPart> read(std::int64_t offset, std::size_t bytes_max) {
    source_->read_ahead(offset + static_cast<std::int64_t>(bytes_max));
    for (;;) {
      auto part = source_->read(offset, bytes_max);
      if (!part || !part->pending)
        return part;
      std::unique_lock lock{mutex_};
      REQUIRE(changed_.wait_for(lock, patience_of_source,
                                [this] { return arrived_; }));
      arrived_ = false;
    }
  }

  /// All from there to the end.
  std::string rest(std::int64_t offset = 0, std::size_t bytes_max = 1000) {
    std::string result;
    for (;;) {
      auto part
          = read(offset + static_cast<std::int64_t>(result.size()), bytes_max);
      REQUIRE(part);
      result += part->data;
      if (part->end)
        return result;
    }
  }

private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool arrived_ = false;

  // Ends first.
  std::unique_ptr<SeekableInput> source_;
};

struct OpenPipe {
  UniqueFd out;
  UniqueFd in;

  OpenPipe() {
    std::array<int, 2> fds{};
    REQUIRE(::pipe2(fds.data(), O_CLOEXEC) == 0);
    out = UniqueFd{fds[0]};
    in = UniqueFd{fds[1]};
  }

  void write(const std::string& text) const {
    REQUIRE(::write(in.get(), text.data(), text.size())
            == static_cast<ssize_t>(text.size()));
  }

  /// What nobody has read.
  [[nodiscard]] int left() const {
    int result = 0;
    REQUIRE(::ioctl(out.get(), FIONREAD, &result) == 0);
    return result;
  }
};

std::string numbers(int count) {
  std::string result;
  for (int i = 0; i < count; ++i)
    result += std::to_string(i) + std::string(1, '\0');
  return result;
}

UniqueFd open_for_reading(const std::string& path) {
  UniqueFd result{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  REQUIRE(result);
  return result;
}

} // namespace

TEST_CASE("a file is read from any place, from where it stood on", "[input]") {
  TemporaryDirectory directory;
  auto text = numbers(10'000);
  auto file = open_for_reading(directory.write("x", "skip" + text));
  REQUIRE(::lseek(file.get(), 4, SEEK_SET) == 4);
  OpenedInput input{file.get(), "/proc/none"};
  CHECK(input.rest() == text);
  CHECK(input.rest(17, 100'000) == text.substr(17));
  CHECK(input.rest(0, 1'000'000) == text);
  // The place where it stands is somebody else's.
  CHECK(::lseek(file.get(), 0, SEEK_CUR) == 4);
}

TEST_CASE("an empty file is empty", "[input]") {
  TemporaryDirectory directory;
  auto file = open_for_reading(directory.write("x", ""));
  OpenedInput input{file.get(), "/proc/none"};
  CHECK(input.rest().empty());
}

TEST_CASE("who comes later reads as much of a file that grows", "[input]") {
  TemporaryDirectory directory;
  auto file = open_for_reading(directory.write("x", "abc"));
  OpenedInput input{file.get(), "/proc/none"};
  CHECK(input.rest() == "abc");
  directory.write("x", "abcdef");
  CHECK(input.rest() == "abc");
  CHECK(input.rest(3).empty());
  directory.write("x", "a");
  auto part = input.read(0, 10);
  REQUIRE_FALSE(part);
  CHECK(part.error().message
        == "cannot read standard input: the file has become shorter");
}

TEST_CASE("a pipe is read by many, each at its own pace", "[input]") {
  TemporaryDirectory directory;
  OpenPipe pipe;
  OpenedInput input{pipe.out.get(), directory.path("")};
  auto text = numbers(5'000);
  pipe.write(text);
  auto first = input.read(0, 100);
  REQUIRE(first);
  CHECK(first->data == text.substr(0, first->data.size()));
  pipe.in.reset();
  CHECK(input.rest() == text);
  CHECK(input.rest(1'234, 7) == text.substr(1'234));
  // Nothing of it has a name.
  CHECK(std::filesystem::is_empty(directory.path("")));
}

TEST_CASE("a pipe is read no further than somebody needs", "[input]") {
  TemporaryDirectory directory;
  OpenPipe pipe;
  OpenedInput input{pipe.out.get(), directory.path("")};
  pipe.write(std::string(10'000, 'x'));
  auto part = input.source().read(0, 1'000);
  REQUIRE(part);
  CHECK(part->pending);
  CHECK(pipe.left() == 10'000);
  REQUIRE(input.read(0, 1'000));
  CHECK(pipe.left() == 9'000);
  // What is there already is not read again.
  REQUIRE(input.read(500, 500));
  CHECK(pipe.left() == 9'000);
}

TEST_CASE("what a pipe brings later is read later, and then its end",
          "[input]") {
  TemporaryDirectory directory;
  OpenPipe pipe;
  OpenedInput input{pipe.out.get(), directory.path("")};
  pipe.write("one");
  auto part = input.read(0, 1'000);
  REQUIRE(part);
  CHECK(part->data == "one");
  CHECK_FALSE(part->end);
  pipe.write("two");
  part = input.read(3, 1'000);
  REQUIRE(part);
  CHECK(part->data == "two");
  pipe.in.reset();
  part = input.read(6, 1'000);
  REQUIRE(part);
  CHECK(part->data.empty());
  CHECK(part->end);
  CHECK_FALSE(part->pending);
}

TEST_CASE("an input that says nothing can be left", "[input]") {
  TemporaryDirectory directory;
  OpenPipe pipe;
  {
    OpenedInput input{pipe.out.get(), directory.path("")};
    input.source().read_ahead(1'000);
  }
  // Nobody reads it any more.
  pipe.write("x");
  CHECK(pipe.left() == 1);
}

TEST_CASE("a full disk is told once and for all", "[input]") {
  TemporaryDirectory directory;
  OpenPipe pipe;
  pipe.write(std::string(50'000, 'x'));
  ResourceLimit small_files{RLIMIT_FSIZE, 10'000};
  OpenedInput input{pipe.out.get(), directory.path("")};
  auto part = input.read(0, 40'000);
  while (part)
    part = input.read(0, 40'000);
  CHECK(part.error().message
        == "cannot keep standard input in '" + directory.path("")
               + "': File too large; TMPDIR may name a directory with more "
                 "room");
  CHECK_FALSE(input.read(0, 10));
}

TEST_CASE("an input that cannot be read is refused", "[input]") {
  TemporaryDirectory directory;
  auto why = [](int descriptor, const std::string& path) {
    auto opened = open_seekable_input(descriptor, path);
    REQUIRE_FALSE(opened);
    return opened.error().message;
  };
  CHECK(why(-1, "/tmp") == "cannot read standard input: Bad file descriptor");
  auto itself = open_for_reading(directory.path(""));
  CHECK(why(itself.get(), "/tmp")
        == "cannot read standard input: Is a directory");
  OpenPipe pipe;
  CHECK(why(pipe.out.get(), "/proc/none")
        == "cannot keep standard input in '/proc/none': No such file or "
           "directory");
  // It only writes.
  CHECK(why(pipe.in.get(), "/tmp")
        == "cannot read standard input: Bad file descriptor");
}
