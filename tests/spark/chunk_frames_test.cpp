#include "spark/chunk_frames.hpp"

#include <string>

#include "tests/spark/bytes_of_java.hpp"
#include "tests/support/catch.hpp"

namespace stoker::spark::test {

namespace {

using FoundChunk = std::optional<ChunkRequest>;

std::string framed(char type, const std::string& rest) {
  return big_endian(9 + rest.size(), 8) + type + rest;
}

std::string named(const std::string& name) {
  return framed('\6', big_endian(name.size(), 4) + name);
}

} // namespace

TEST_CASE("requests for chunks are read, and all others left") {
  CHECK(*read_chunk_request(framed('\0', big_endian(258, 8) + big_endian(3, 4)))
        == FoundChunk{ChunkRequest{258, 3, false}});
  CHECK(*read_chunk_request(named("258_3"))
        == FoundChunk{ChunkRequest{258, 3, true}});
  CHECK(*read_chunk_request(framed('\3', "")) == FoundChunk{});
  for (const auto* name : {"", "1", "_", "1_", "_1", "1_2_3", "-1_2", "1_-2",
                           "/jars/a.jar", "1_99999999999"}) {
    INFO(name);
    CHECK_FALSE(read_chunk_request(named(name)));
  }
  CHECK_FALSE(read_chunk_request(framed('\0', big_endian(258, 8))));
  CHECK_FALSE(read_chunk_request(framed('\6', big_endian(-1, 4))));
  CHECK_FALSE(read_chunk_request(""));
}

TEST_CASE("chunks are sent as Spark sends them") {
  ChunkRequest chunk{258, 3, false};
  // The block is part of the frame.
  CHECK(chunk_header(chunk, 1000)
        == big_endian(1021, 8) + "\x01" + big_endian(258, 8)
               + big_endian(3, 4));
  CHECK(chunk_failure(chunk, "gone")
        == framed('\2', big_endian(258, 8) + big_endian(3, 4) + big_endian(4, 4)
                            + "gone"));
  chunk.as_stream = true;
  // The block follows the frame.
  CHECK(chunk_header(chunk, 1000)
        == framed('\7', big_endian(5, 4) + "258_3" + big_endian(1000, 8)));
  CHECK(chunk_failure(chunk, "gone")
        == framed('\x08',
                  big_endian(5, 4) + "258_3" + big_endian(4, 4) + "gone"));
}

} // namespace stoker::spark::test
