#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

/// Called with each input (LLVM, libFuzzer). Returns 0.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size);

namespace stoker::test {

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

/// Ends the program, which libFuzzer takes for a find.
inline void require(bool promise) {
  if (!promise)
    std::abort();
}

} // namespace stoker::test
