#include "outputs/output_writer.hpp"

#include <sys/mount.h>
#include <sys/resource.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>

#include "outputs/application_outputs.hpp"
#include "outputs/output_names.hpp"
#include "outputs/partition_collector.hpp"
#include "outputs/stored_output.hpp"
#include "tests/outputs/support.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/skip.hpp"

using namespace stoker;
using namespace stoker::test;

namespace {

/// An application's directory, as its worker has it.
struct Directory {
  TemporaryDirectory files;
  ApplicationOutputs outputs;

  explicit Directory(std::uint64_t quota = ReservationTable::unlimited)
      : outputs(open(files.path("outputs"), quota)) {
  }

  static ApplicationOutputs open(const std::string& path, std::uint64_t quota) {
    auto result = ApplicationOutputs::open(path, words, quota);
    REQUIRE(result);
    return *std::move(result);
  }

  [[nodiscard]] std::string path() const {
    return outputs.directory().string();
  }
};

/// The bytes of each partition, as they stand in the files.
std::vector<std::string> partitions_in(const std::string& directory,
                                       const TaskAttempt& attempt) {
  auto output = StoredOutput::open(directory, attempt);
  REQUIRE(output);
  std::vector<std::string> result;
  for (const auto& entry : output->index().partitions) {
    std::string bytes(entry.bytes, '\0');
    std::size_t at = 0;
    while (at < bytes.size()) {
      auto n = output->read(entry.offset + at, std::span{bytes}.subspan(at));
      REQUIRE(n);
      at += *n;
    }
    CHECK(checksum_of(bytes) == entry.checksum);
    result.push_back(bytes);
  }
  return result;
}

std::uint64_t bytes_of(const std::string& directory) {
  std::uint64_t result = 0;
  for (const auto& name : files_in(directory))
    result
        += std::filesystem::file_size(std::filesystem::path{directory} / name);
  return result;
}

/// No file of this process may be larger.
class FileSizeLimit {
public:
  explicit FileSizeLimit(rlim_t bytes) {
    before_ = std::signal(SIGXFSZ, SIG_IGN);
    ::getrlimit(RLIMIT_FSIZE, &old_);
    auto limit = old_;
    limit.rlim_cur = bytes;
    REQUIRE(::setrlimit(RLIMIT_FSIZE, &limit) == 0);
  }

  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &old_);
    std::signal(SIGXFSZ, before_);
  }

  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

private:
  rlimit old_{};
  void (*before_)(int) = SIG_DFL;
};

} // namespace

TEST_CASE("partitions are written in order, and some remain empty",
          "[writer]") {
  Directory directory;
  auto large = random_bytes(700'000);
  std::vector<std::string> partitions{"", "one", "", "", large, "", ""};
  auto writer = OutputWriter::open(directory.path(), attempt_of(0), 4, 7);
  REQUIRE(writer);
  REQUIRE(writer->append(1, std::string_view{"o"}));
  REQUIRE(writer->append(1, std::string_view{"ne"}));
  REQUIRE(writer->append(4, large));
  // Nobody sees it yet.
  CHECK(StoredOutput::open(directory.path(), attempt_of(0)).code()
        == Errc::not_found);
  auto sizes = writer->commit();
  REQUIRE(sizes);
  CHECK(*sizes == std::vector<std::uint64_t>{0, 3, 0, 0, large.size(), 0, 0});
  CHECK(files_in(directory.path())
        == std::vector<std::string>{"1-0-0.data", "1-0-0.index"});
  CHECK(partitions_in(directory.path(), attempt_of(0)) == partitions);
  CHECK(directory.outputs.used() == bytes_of(directory.path()));
  CHECK(writer->commit().code() == Errc::invalid_request);
}

TEST_CASE("what is not committed is removed", "[writer]") {
  Directory directory;
  {
    auto writer = OutputWriter::open(directory.path(), attempt_of(0), 4, 1);
    REQUIRE(writer);
    REQUIRE(writer->append(0, random_bytes(1'000'000)));
    CHECK(files_in(directory.path())
          == std::vector<std::string>{".writing-4-1-0-0.data"});
    CHECK(directory.outputs.used() >= 1'000'000);
  }
  CHECK(files_in(directory.path()).empty());
  CHECK(directory.outputs.used() == 0);
}

TEST_CASE("nobody writes where no worker serves", "[writer]") {
  TemporaryDirectory files;
  CHECK(OutputWriter::open(files.path(""), attempt_of(0), 0, 1).code()
        == Errc::not_found);
}

TEST_CASE("an output has at least one partition, and not too many",
          "[writer]") {
  Directory directory;
  for (auto count : {-1, 0, 1'000'001})
    CHECK(OutputWriter::open(directory.path(), attempt_of(0), 0, count).code()
          == Errc::invalid_request);
}

TEST_CASE("bytes that come in any order of partitions are put together",
          "[collector]") {
  Directory directory;
  constexpr int partitions = 50;
  std::vector<std::string> expected(partitions);
  auto collector = PartitionCollector::open(directory.path(), attempt_of(0), 4,
                                            partitions, 1000);
  REQUIRE(collector);
  auto bytes = random_bytes(2'000'000);
  for (std::size_t at = 0, n = 0; at < bytes.size(); at += n) {
    n = std::min<std::size_t>(at % 2503, bytes.size() - at) + 1;
    n = std::min(n, bytes.size() - at);
    // The last ones get nothing.
    auto partition = at % (partitions - 3);
    auto part = std::string_view{bytes}.substr(at, n);
    REQUIRE(collector->add(static_cast<int>(partition), part));
    expected[partition] += part;
  }
  CHECK(collector->spilled_bytes() > bytes.size() / 2);
  auto sizes = collector->commit();
  REQUIRE(sizes);
  CHECK(partitions_in(directory.path(), attempt_of(0)) == expected);
  CHECK(directory.outputs.used() == bytes_of(directory.path()));
  CHECK(files_in(directory.path()).size() == 2);
}

TEST_CASE("little that comes in any order is not spilled", "[collector]") {
  Directory directory;
  auto collector
      = PartitionCollector::open(directory.path(), attempt_of(0), 4, 3);
  REQUIRE(collector);
  for (auto partition : {2, 0, 2})
    REQUIRE(collector->add(partition, std::string_view{"ab"}));
  CHECK(collector->spilled_bytes() == 0);
  REQUIRE(collector->commit());
  CHECK(partitions_in(directory.path(), attempt_of(0))
        == std::vector<std::string>{"ab", "", "abab"});
}

TEST_CASE("a quota that is used up is a clear error, and gives back",
          "[quota]") {
  constexpr std::uint64_t quota = 10'000'000;
  Directory directory{quota};
  write_output(directory.path(), attempt_of(0), {random_bytes(6'000'000)}, 1);
  {
    // Another executor shares it.
    auto writer = OutputWriter::open(directory.path(), attempt_of(1), 2, 1);
    REQUIRE(writer);
    REQUIRE(writer->append(0, random_bytes(3'000'000)));
    auto refused = writer->append(0, random_bytes(2'000'000));
    REQUIRE_FALSE(refused);
    CHECK(refused.code() == Errc::full);
    CHECK(refused.error().message.find("quota") != std::string::npos);
    CHECK(writer->commit().code() == Errc::invalid_request);
    CHECK(directory.outputs.used() <= quota);
  }
  CHECK(directory.outputs.used() == bytes_of(directory.path()));
  write_output(directory.path(), attempt_of(1), {random_bytes(3'900'000)}, 2);
  CHECK(directory.outputs.used() == bytes_of(directory.path()));
  // What is removed makes room, whoever wrote it.
  directory.outputs.remove_stage(StageId{1});
  CHECK(directory.outputs.used() == 0);
  CHECK(files_in(directory.path()).empty());
}

TEST_CASE("a collector stops at the quota, too", "[quota]") {
  Directory directory{1'000'000};
  {
    auto collector
        = PartitionCollector::open(directory.path(), attempt_of(0), 1, 4, 1000);
    REQUIRE(collector);
    Status added;
    for (int i = 0; added && i < 1000; ++i)
      added = collector->add(i % 4, random_bytes(5000));
    CHECK(added.code() == Errc::full);
    CHECK(collector->commit().code() == Errc::invalid_request);
  }
  CHECK(directory.outputs.used() == 0);
  CHECK(files_in(directory.path()).empty());
}

TEST_CASE("a full disk is a clear error, and leaves nothing", "[full]") {
  Directory directory;
  SECTION("the file may not be larger") {
    FileSizeLimit limit{1'000'000};
    auto writer = OutputWriter::open(directory.path(), attempt_of(0), 1, 1);
    REQUIRE(writer);
    auto refused = writer->append(0, random_bytes(2'000'000));
    CHECK(refused.code() == Errc::full);
  }
  SECTION("the disk has no room") {
    auto path = directory.files.path("small");
    std::filesystem::create_directory(path);
    if (::mount("none", path.c_str(), "tmpfs", 0, "size=1m") != 0)
      return skip("cannot mount a file system: "
                  + std::string{std::strerror(errno)});
    {
      auto outputs = Directory::open(path, ReservationTable::unlimited);
      {
        auto writer
            = OutputWriter::open(outputs.directory(), attempt_of(0), 1, 1);
        REQUIRE(writer);
        auto refused = writer->append(0, random_bytes(2'000'000));
        CHECK(refused.code() == Errc::full);
        CHECK(refused.error().message.find("No space left")
              != std::string::npos);
      }
      CHECK(files_in(outputs.directory()).empty());
      CHECK(outputs.used() == 0);
    }
    ::umount2(path.c_str(), MNT_DETACH);
  }
  CHECK(files_in(directory.path()).empty());
  CHECK(directory.outputs.used() == 0);
}

TEST_CASE("a writer that is killed leaves nothing once the worker knows",
          "[killed]") {
  Directory directory;
  std::optional<OutputWriter> writer;
  std::optional<PartitionCollector> collector;
  Child child{[&] {
    write_output(directory.path(), attempt_of(0), {random_bytes(100'000)}, 7);
    if (auto x = OutputWriter::open(directory.path(), attempt_of(1), 7, 1))
      writer.emplace(*std::move(x));
    (void)writer->append(0, random_bytes(1'000'000));
    if (auto x
        = PartitionCollector::open(directory.path(), attempt_of(2), 7, 2, 1000))
      collector.emplace(*std::move(x));
    (void)collector->add(1, random_bytes(1'000'000));
  }};
  auto others = random_bytes(50'000);
  write_output(directory.path(), attempt_of(3), {others}, 8);
  child.kill();
  CHECK(directory.outputs.used() > 2'100'000);
  CHECK(files_in(directory.path()).size() == 6);
  directory.outputs.writer_ended(7);
  CHECK(files_in(directory.path())
        == std::vector<std::string>{"1-0-0.data", "1-0-0.index", "1-3-0.data",
                                    "1-3-0.index"});
  CHECK(directory.outputs.used() == bytes_of(directory.path()));
  // What is said twice changes nothing.
  directory.outputs.writer_ended(7);
  CHECK(directory.outputs.used() == bytes_of(directory.path()));
  directory.outputs.remove_stage(StageId{1});
  CHECK(directory.outputs.used() == 0);
}

TEST_CASE("a writer that is killed between its two renames leaves nothing",
          "[killed]") {
  Directory directory;
  write_output(directory.path(), attempt_of(0), {"bytes"}, 7);
  std::filesystem::path path{directory.path()};
  std::filesystem::rename(
      path / index_file_name(attempt_of(0)),
      path / unfinished_file_name(7, attempt_of(0), "index"));
  directory.outputs.writer_ended(7);
  CHECK(files_in(directory.path()).empty());
  CHECK(directory.outputs.used() == 0);
}

TEST_CASE("a worker that is started again knows what is in use", "[quota]") {
  Directory directory;
  write_output(directory.path(), attempt_of(0), {random_bytes(1000)}, 1);
  auto used = directory.outputs.used();
  SECTION("from the table") {
    auto again = Directory::open(directory.files.path("outputs"), 5000);
    CHECK(again.used() == used);
    CHECK(again.server_id() == directory.outputs.server_id());
  }
  SECTION("from the files, if the table is damaged") {
    std::ofstream{directory.path() + "/.reserved"} << "damaged";
    auto again = Directory::open(directory.files.path("outputs"), 5000);
    CHECK(again.used() == used);
  }
}

TEST_CASE("executors that write at once share the quota exactly", "[quota]") {
  Directory directory{50'000'000};
  std::vector<std::unique_ptr<Child>> children;
  for (int i = 0; i < 4; ++i)
    children.push_back(std::make_unique<Child>([&directory, i] {
      for (int task = 0; task < 20; ++task)
        write_output(directory.path(), attempt_of(100 * i + task),
                     {random_bytes(20'000), random_bytes(1)}, i);
    }));
  CHECK(directory.outputs.used() == bytes_of(directory.path()));
  children.clear();
  for (int i = 0; i < 4; ++i)
    directory.outputs.writer_ended(i);
  CHECK(directory.outputs.used() == bytes_of(directory.path()));
  CHECK(files_in(directory.path()).size() == 160);
}
