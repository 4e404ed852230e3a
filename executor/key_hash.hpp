#pragma once

#include <cstdint>
#include <string_view>

namespace stoker::executor {

/// XXH64 with seed 0 (the algorithm of xxHash that `xxhsum -H64` computes): the same on
/// all machines, and in all versions of this program.
std::uint64_t hash_key(std::string_view key) noexcept;

} // namespace stoker::executor
