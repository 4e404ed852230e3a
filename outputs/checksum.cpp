#include "outputs/checksum.hpp"

#include <cstddef>
#include <cstring>

#include <boost/crc.hpp>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace stoker {

namespace {

using Update = std::uint32_t (*)(std::uint32_t state,
                                 std::span<const char> bytes) noexcept;

std::uint32_t update_by_table(std::uint32_t state,
                              std::span<const char> bytes) noexcept {
  // Boost takes a state before it is reflected, and reflects what it returns.
  boost::crc_optimal<32, 0x1EDC6F41, 0, 0, true, true> crc;
  std::uint32_t reflected = 0;
  for (unsigned i = 0; i < 32; ++i)
    reflected |= (state >> i & 1U) << (31 - i);
  crc.reset(reflected);
  crc.process_bytes(bytes.data(), bytes.size());
  return crc.checksum();
}

#if defined(__x86_64__)
/// Twenty times as fast: 8 bytes in three cycles.
__attribute__((target("sse4.2"))) std::uint32_t
update_by_instruction(std::uint32_t state,
                      std::span<const char> bytes) noexcept {
  const auto* at = bytes.data();
  auto left = bytes.size();
  std::uint64_t wide = state;
  for (; left >= sizeof(std::uint64_t); left -= sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, at, sizeof word);
    wide = _mm_crc32_u64(wide, word);
    at += sizeof word;
  }
  auto narrow = static_cast<std::uint32_t>(wide);
  for (; left > 0; --left)
    narrow = _mm_crc32_u8(narrow, static_cast<unsigned char>(*at++));
  return narrow;
}
#endif

Update choose_update() noexcept {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("sse4.2") != 0)
    return update_by_instruction;
#endif
  return update_by_table;
}

} // namespace

void Checksum::add(std::span<const char> bytes) noexcept {
  static const Update update = choose_update();
  state_ = update(state_, bytes);
}

} // namespace stoker
