// What a JVM of Spark's, or anybody on the machine, says to a supervisor.

#include "process/spark_frame.hpp"
#include "tests/fuzz/fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  using namespace stoker::process;
  using stoker::test::require;
  auto rest = stoker::test::text_of(data, size);
  for (;;) {
    auto frame = first_spark_frame(rest);
    if (frame.kind == SparkFrame::Kind::refused)
      return 0;
    if (frame.kind == SparkFrame::Kind::incomplete) {
      require(rest.size() < spark_frame_bytes_max);
      return 0;
    }
    require(frame.size > 0 && frame.size <= rest.size());
    require(frame.size <= spark_frame_bytes_max);
    rest.remove_prefix(frame.size);
  }
}
