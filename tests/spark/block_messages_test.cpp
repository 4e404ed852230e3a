#include "spark/block_messages.hpp"

#include <string>

#include "tests/spark/bytes_of_java.hpp"
#include "tests/support/catch.hpp"

namespace stoker::spark::test {

namespace {

std::string text(const std::string& x) {
  return big_endian(x.size(), 4) + x;
}

std::string texts(const std::vector<std::string>& x) {
  auto result = big_endian(x.size(), 4);
  for (const auto& one : x)
    result += text(one);
  return result;
}

template <class T>
T read_as(const std::string& body) {
  auto result = read_block_message(body);
  REQUIRE(result);
  REQUIRE(std::holds_alternative<T>(*result));
  return std::get<T>(*result);
}

std::string problem(const std::string& body) {
  auto result = read_block_message(body);
  return result ? "" : result.error().message;
}

std::string fetch(const std::string& maps, const std::string& reduces,
                  bool in_ranges) {
  return "\x09" + text("app-1") + text("7") + big_endian(3, 4) + maps + reduces
         + (in_ranges ? '\1' : '\0');
}

const std::string two_maps
    = big_endian(2, 4) + big_endian(5'000'000'000, 8) + big_endian(6, 8);

} // namespace

TEST_CASE("an executor says where it writes") {
  auto x = read_as<RegisterShuffleExecutor>(
      "\x02" + text("app-1") + text("7") + texts({"/a", "/b"})
      + big_endian(64, 4) + text("org.apache.spark.shuffle.sort.Manager"));
  CHECK(x.app_id == "app-1");
  CHECK(x.exec_id == "7");
  CHECK(x.directories == std::vector<std::string>{"/a", "/b"});
  CHECK(x.subdirectories == 64);
}

TEST_CASE("blocks are asked for one by one, and in ranges") {
  auto x = read_as<FetchBlocks>(fetch(two_maps,
                                      big_endian(2, 4) + big_endian(2, 4)
                                          + big_endian(0, 4) + big_endian(9, 4)
                                          + big_endian(1, 4) + big_endian(4, 4),
                                      false));
  CHECK(x.app_id == "app-1");
  CHECK(x.exec_id == "7");
  CHECK(x.blocks
        == std::vector<Block>{ShuffleBlock{3, 5'000'000'000, 0, 1},
                              ShuffleBlock{3, 5'000'000'000, 9, 10},
                              ShuffleBlock{3, 6, 4, 5}});
  x = read_as<FetchBlocks>(fetch(
      two_maps,
      big_endian(2, 4) + big_endian(2, 4) + big_endian(0, 4) + big_endian(9, 4)
          + big_endian(2, 4) + big_endian(4, 4) + big_endian(5, 4),
      true));
  CHECK(x.blocks
        == std::vector<Block>{ShuffleBlock{3, 5'000'000'000, 0, 9},
                              ShuffleBlock{3, 6, 4, 5}});
}

TEST_CASE("blocks are asked for by name, as old versions do") {
  auto open = [](const std::vector<std::string>& names) {
    return std::string(1, '\0') + text("app-1") + text("7") + texts(names);
  };
  auto x = read_as<FetchBlocks>(
      open({"shuffle_3_5000000000_9", "shuffle_3_6_0_4", "rdd_1_2"}));
  CHECK(x.blocks
        == std::vector<Block>{ShuffleBlock{3, 5'000'000'000, 9, 10},
                              ShuffleBlock{3, 6, 0, 4}, RddBlock{1, 2}});
  for (const auto* name :
       {"", "broadcast_1", "shuffle_1_2", "shuffle_1_2_3_4_5", "shuffle_1_2_x",
        "shuffle_1_-2_3", "rdd_1", "rdd_1_2_3", "shuffle_1_2_2147483647",
        "shuffleChunk_1_2_3_4", "shuffle_99999999999_1_1", "rdd_1_2/../../x"}) {
    INFO(name);
    CHECK(problem(open({name})).starts_with("a shuffle service has no block"));
  }
}

TEST_CASE("files are removed, directories asked for, damage diagnosed") {
  auto removal = read_as<RemoveBlocks>("\x07" + text("app-1") + text("7")
                                       + texts({"rdd_1_2"}));
  CHECK(removal.files == std::vector<std::string>{"rdd_1_2"});
  auto question = read_as<GetLocalDirectories>("\x0A" + text("app-1")
                                               + texts({"7", "8"}));
  CHECK(question.exec_ids == std::vector<std::string>{"7", "8"});
  read_as<DiagnoseCorruption>("\x10" + text("app-1"));
  CHECK(read_as<OtherBlockMessage>("\x0D").type == 13);
}

TEST_CASE("what is damaged is no message about blocks") {
  CHECK(!problem("").empty());
  auto whole = fetch(two_maps,
                     big_endian(2, 4) + big_endian(1, 4) + big_endian(0, 4)
                         + big_endian(0, 4),
                     false);
  CHECK(problem(whole).empty());
  for (std::size_t i = 0; i < whole.size(); ++i)
    CHECK(!problem(whole.substr(0, i)).empty());
  auto lists = [](int count, const std::string& rest, bool in_ranges) {
    return problem(fetch(two_maps, big_endian(count, 4) + rest, in_ranges));
  };
  CHECK(lists(1, big_endian(0, 4), false)
        == "a message about blocks: a fetch of blocks has 2 maps and 1 lists");
  CHECK(lists(2, big_endian(1, 4) + big_endian(0, 4) + big_endian(0, 4), true)
        == "a message about blocks: a range of blocks has 1 ends");
  CHECK(lists(2,
              big_endian(1, 4) + big_endian(-1, 4) + big_endian(1, 4)
                  + big_endian(0, 4),
              false)
        == "a message about blocks: there is no reduce task -1");
  // A list that would take all memory.
  CHECK(
      problem("\x07" + text("app-1") + text("7") + big_endian(0x7FFFFFFF, 4))
      == "a message about blocks: a list of 2147483647 elements is longer than "
         "its message");
  CHECK(problem("\x07" + big_endian(-1, 4))
        == "a message about blocks: a list of -1 elements is longer than its "
           "message");
}

TEST_CASE("answers about blocks have Spark's layout") {
  CHECK(stream_handle(258, 3)
        == "\x03" + big_endian(258, 8) + big_endian(3, 4));
  CHECK(blocks_removed(2) == "\x08" + big_endian(2, 4));
  CHECK(local_directories({{"7", {"/a", "/b"}}, {"8", {"/c"}}})
        == "\x0B" + texts({"7", "8"}) + big_endian(2, 4) + big_endian(2, 4)
               + big_endian(1, 4) + texts({"/a", "/b", "/c"}));
  CHECK(unknown_cause() == "\x11\x02");
}

} // namespace stoker::spark::test
