// What executors of Spark send to a shuffle service.

#include <string>

#include "spark/block_messages.hpp"
#include "spark/chunk_frames.hpp"
#include "spark/frame.hpp"
#include "tests/fuzz/fuzz.hpp"

using namespace stoker;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  auto received = test::text_of(data, size);
  auto chunk = spark::read_chunk_request(received);
  if (chunk && *chunk) {
    // Its answers name it.
    auto failure = spark::chunk_failure(**chunk, "gone");
    test::require(failure.size() > spark::chunk_header(**chunk, 1).size() - 9);
  }
  auto whole = spark::take_frame(received);
  (void)spark::read_block_message(whole && *whole ? (*whole)->body
                                                  : test::text_of(data, size));
  return 0;
}
