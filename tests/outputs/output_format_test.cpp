// What stands in files and is said on connections.

#include <string>
#include <string_view>
#include <vector>

#include "outputs/checksum.hpp"
#include "outputs/output_index.hpp"
#include "outputs/output_names.hpp"
#include "outputs/output_protocol.hpp"
#include "outputs/partition_check.hpp"
#include "tests/outputs/support.hpp"
#include "tests/support/catch.hpp"

using namespace stoker;
using namespace stoker::test;

namespace {

OutputIndex some_index() {
  return {{StageId{3}, 17, 2}, 5, {{0, 10, 111}, {10, 0, 0}, {10, 7, 222}}};
}

} // namespace

TEST_CASE("the checksum is CRC-32C, however bytes are cut", "[checksum]") {
  // The check value of the standard's catalogue.
  CHECK(checksum_of(std::string_view{"123456789"}) == 0xE306'9283);
  CHECK(checksum_of({}) == 0);
  auto bytes = random_bytes(1000);
  Checksum parts;
  for (std::size_t at = 0, n = 0; at < bytes.size(); at += n, n = at % 13 + 1)
    parts.add(std::string_view{bytes}.substr(at, n));
  CHECK(parts.value() == checksum_of(bytes));
}

TEST_CASE("an index is read as it was written", "[index]") {
  auto index = some_index();
  auto read = parse_index(to_bytes(index));
  REQUIRE(read);
  CHECK(*read == index);
  CHECK(read->data_bytes() == 17);
  auto header = parse_index_header(to_bytes(index));
  REQUIRE(header);
  CHECK(header->exec_id == 5);
  CHECK(header->attempt == index.attempt);
}

TEST_CASE("an index of which any byte has changed is refused", "[index]") {
  auto bytes = to_bytes(some_index());
  for (std::size_t i = 0; i < bytes.size(); ++i)
    for (auto bit : {1, 128}) {
      auto damaged = bytes;
      damaged[i] = static_cast<char>(damaged[i] ^ bit);
      CHECK_FALSE(parse_index(damaged));
    }
  for (std::size_t n = 0; n < bytes.size(); ++n)
    CHECK_FALSE(parse_index(std::string_view{bytes}.substr(0, n)));
  CHECK(parse_index(bytes + "x").code() == Errc::corrupt);
}

TEST_CASE("an index whose partitions leave a gap is refused", "[index]") {
  auto index = some_index();
  index.partitions[2].offset = 11;
  CHECK(parse_index(to_bytes(index)).code() == Errc::corrupt);
}

TEST_CASE("names of files are understood, and others are not", "[names]") {
  TaskAttempt x{StageId{3}, 17, 2};
  CHECK(data_file_name(x) == "3-17-2.data");
  CHECK(unfinished_file_name(5, x, "index") == ".writing-5-3-17-2.index");
  auto finished = parse_output_file_name("3-17-2.index");
  REQUIRE(finished);
  CHECK(finished->attempt == x);
  CHECK_FALSE(finished->exec_id);
  auto unfinished = parse_output_file_name(".writing-5-3-17-2.spill");
  REQUIRE(unfinished);
  CHECK(unfinished->attempt == x);
  CHECK(unfinished->exec_id == 5);
  for (const auto* other :
       {"", ".", ".index", "3-17.index", "3-17-2", "3-17-2.spill",
        "3-17-2-1.data", "03-17-2.data", "3--17-2.data", "3-17-2.data.x",
        "a-17-2.data", ".writing-3-17-2.data", "99999999999-1-1.data"})
    CHECK_FALSE(parse_output_file_name(other));
}

TEST_CASE("only an id that is safe as a name is an application's directory",
          "[names]") {
  CHECK(is_directory_name(words));
  for (const auto* other : {"", ".", "..", ".x", "a/b", "../b", "a b", "ä"})
    CHECK_FALSE(is_directory_name(AppId{other}));
  CHECK_FALSE(is_directory_name(AppId{std::string(129, 'a')}));
}

TEST_CASE("a request is read as it was said", "[protocol]") {
  std::vector<OutputRequest> request{
      {{StageId{1}, 2, 3}, {4, 5}, 6},
      {{StageId{7}, 8, 9}, {0, PartitionRange::all}}};
  auto bytes = to_bytes(request);
  auto rest = parse_request_header(bytes);
  REQUIRE(rest);
  CHECK(request_header_bytes + *rest == bytes.size());
  auto read = parse_request_entries(
      std::string_view{bytes}.substr(request_header_bytes));
  REQUIRE(read);
  CHECK(*read == request);
}

TEST_CASE("a request that claims too much is refused", "[protocol]") {
  std::vector<OutputRequest> request(1);
  auto bytes = to_bytes(request);
  auto many = bytes;
  many[8] = 1;
  many[9] = 4;
  CHECK(parse_request_header(many).code() == Errc::invalid_request);
  auto none = bytes;
  none[8] = 0;
  CHECK(parse_request_header(none).code() == Errc::invalid_request);
  auto newer = bytes;
  newer[4] = 2;
  CHECK(parse_request_header(newer).code() == Errc::too_new);
  CHECK(parse_request_header(std::string_view{"GET / HTTP/1.1"}).code()
        == Errc::invalid_request);
  request[0].attempt.task = -1;
  CHECK(parse_request_entries(
            std::string_view{to_bytes(request)}.substr(request_header_bytes))
            .code()
        == Errc::invalid_request);
}

TEST_CASE("an answer whose sizes contradict each other is refused",
          "[protocol]") {
  AnswerHeader header{OutputStatus::found, 2, 0, 30};
  auto read = parse_answer_header(to_bytes(header));
  REQUIRE(read);
  CHECK(*read == header);
  std::string sizes;
  put(sizes, {10, 1});
  put(sizes, {20, 2});
  CHECK(parse_partition_sizes(sizes, header));
  header.bytes = 29;
  CHECK(parse_partition_sizes(sizes, header).code() == Errc::corrupt);
  header.bytes = 31;
  CHECK(parse_partition_sizes(sizes, header).code() == Errc::corrupt);
  CHECK(parse_answer_header(to_bytes(AnswerHeader{OutputStatus::missing, 1}))
            .code()
        == Errc::corrupt);
  CHECK(parse_answer_header(
            to_bytes(AnswerHeader{OutputStatus::missing, 0, 1 << 20}))
            .code()
        == Errc::corrupt);
}

TEST_CASE("bytes are checked at the end of each partition", "[check]") {
  auto sum = [](std::string_view x) { return checksum_of(x); };
  std::vector<PartitionSize> sizes{{3, sum("abc")}, {0, 0}, {2, sum("de")}};
  SECTION("right ones") {
    PartitionCheck check{sizes};
    CHECK(check.take({}));
    CHECK(check.take(std::string_view{"ab"}));
    CHECK(check.take(std::string_view{"cd"}));
    CHECK(check.left() == 1);
    CHECK(check.take(std::string_view{"e"}));
    CHECK(check.left() == 0);
  }
  SECTION("wrong ones") {
    PartitionCheck check{sizes};
    CHECK(check.take(std::string_view{"ab"}));
    CHECK(check.take(std::string_view{"xde"}).code() == Errc::corrupt);
  }
  SECTION("an empty partition that was not empty") {
    PartitionCheck check{{{0, 5}}};
    CHECK(check.take({}).code() == Errc::corrupt);
  }
}
