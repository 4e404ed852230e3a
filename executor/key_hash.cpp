#include "executor/key_hash.hpp"

#include <bit>
#include <cstddef>
#include <cstring>

namespace stoker::executor {

namespace {

// Numbers and order of the steps are those of the specification of XXH64.
constexpr std::uint64_t prime1 = 0x9E3779B185EBCA87;
constexpr std::uint64_t prime2 = 0xC2B2AE3D27D4EB4F;
constexpr std::uint64_t prime3 = 0x165667B19E3779F9;
constexpr std::uint64_t prime4 = 0x85EBCA77C2B2AE63;
constexpr std::uint64_t prime5 = 0x27D4EB2F165667C5;

static_assert(std::endian::native == std::endian::little,
              "words of a key are little-endian");

template <class Word>
std::uint64_t word_at(const char* p) noexcept {
  Word result;
  std::memcpy(&result, p, sizeof result);
  return result;
}

std::uint64_t round_of(std::uint64_t sum, std::uint64_t word) noexcept {
  return std::rotl(sum + word * prime2, 31) * prime1;
}

std::uint64_t merged(std::uint64_t hash, std::uint64_t sum) noexcept {
  return (hash ^ round_of(0, sum)) * prime1 + prime4;
}

/// Four sums side by side, of 32 bytes at a time. Moves `p` behind them.
std::uint64_t hash_stripes(const char*& p, const char* end) noexcept {
  std::uint64_t a = prime1 + prime2;
  std::uint64_t b = prime2;
  std::uint64_t c = 0;
  std::uint64_t d = 0 - prime1;
  for (; end - p >= 32; p += 32) {
    a = round_of(a, word_at<std::uint64_t>(p));
    b = round_of(b, word_at<std::uint64_t>(p + 8));
    c = round_of(c, word_at<std::uint64_t>(p + 16));
    d = round_of(d, word_at<std::uint64_t>(p + 24));
  }
  auto hash
      = std::rotl(a, 1) + std::rotl(b, 7) + std::rotl(c, 12) + std::rotl(d, 18);
  for (auto sum : {a, b, c, d})
    hash = merged(hash, sum);
  return hash;
}

} // namespace

std::uint64_t hash_key(std::string_view key) noexcept {
  const auto* p = key.data();
  const auto* end = p + key.size();
  auto hash = key.size() >= 32 ? hash_stripes(p, end) : prime5;
  hash += key.size();
  for (; end - p >= 8; p += 8)
    hash = std::rotl(hash ^ round_of(0, word_at<std::uint64_t>(p)), 27) * prime1
           + prime4;
  if (end - p >= 4) {
    hash = std::rotl(hash ^ (word_at<std::uint32_t>(p) * prime1), 23) * prime2
           + prime3;
    p += 4;
  }
  for (; p != end; ++p)
    hash = std::rotl(hash ^ (word_at<std::uint8_t>(p) * prime5), 11) * prime1;
  hash = (hash ^ (hash >> 33)) * prime2;
  hash = (hash ^ (hash >> 29)) * prime3;
  return hash ^ (hash >> 32);
}

} // namespace stoker::executor
