// The log of a task scheduler, which somebody may have sent.

#include <sstream>
#include <stdexcept>
#include <string>

#include "storage/message_log_reader.hpp"
#include "tests/fuzz/fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  std::istringstream in{std::string{stoker::test::text_of(data, size)}};
  try {
    stoker::TaskLogReader reader{in};
    while (reader.next()) {
    }
  } catch (const std::runtime_error&) {
    // That is how it refuses.
  }
  return 0;
}
