// Where masters are, as users and configurations say it.

#include "network/address.hpp"

#include "tests/fuzz/fuzz.hpp"

using stoker::test::require;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  auto parsed = stoker::parse_master_url(stoker::test::text_of(data, size));
  if (!parsed)
    return 0;
  require(!parsed->empty());
  // What is understood can be said again.
  for (const auto& x : *parsed) {
    auto again = stoker::parse_master_url(to_string(x));
    require(again && again->size() == 1 && again->front() == x);
  }
  return 0;
}
