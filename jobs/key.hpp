#pragma once

// To which partition a key goes: the same in all processes, whatever started them.

#include <array>
#include <bit>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "executor/key_hash.hpp"
#include "jobs/codec.hpp"

namespace stoker::jobs {

template <class T>
std::uint64_t hash_of(const T& x);

namespace detail {

/// Spreads all bits of a number over all of the result (the last step of MurmurHash3).
inline std::uint64_t spread(std::uint64_t x) noexcept {
  x = (x ^ (x >> 33)) * 0xFF51AFD7ED558CCD;
  x = (x ^ (x >> 33)) * 0xC4CEB9FE1A85EC53;
  return x ^ (x >> 33);
}

inline std::uint64_t joined(std::uint64_t hash, std::uint64_t next) noexcept {
  return spread(std::rotl(hash, 27) * 5 + 0x52DCE729 + next);
}

template <class T>
struct Hash {
  static_assert(is_described<T>,
                "keys of this type have no hash: use numbers, enums, "
                "strings, or described structs, pairs, tuples or "
                "vectors of such");
  static std::uint64_t of(const T& x) {
    std::uint64_t result = 0;
    boost::mp11::mp_for_each<TravellingMembers<T>>([&](auto member) {
      result = joined(result, hash_of(x.*member.pointer));
    });
    return result;
  }
};
template <class T>
requires is_plain<T>
struct Hash<T> {
  static std::uint64_t of(T x) {
    // +1: neighbours of 0 are spread as others.
    if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>)
      // 0 and -0 are equal.
      return spread(
          std::bit_cast<std::uint64_t>(x == 0 ? 0.0 : static_cast<double>(x)));
    else
      return spread(static_cast<std::uint64_t>(x) + 1);
  }
};
template <>
struct Hash<std::string_view> {
  static std::uint64_t of(std::string_view x) {
    return executor::hash_key(x);
  }
};
template <>
struct Hash<std::string> : Hash<std::string_view> {};
template <class A, class B>
struct Hash<std::pair<A, B>> {
  static std::uint64_t of(const std::pair<A, B>& x) {
    return joined(joined(0, hash_of(x.first)), hash_of(x.second));
  }
};
template <class... T>
struct Hash<std::tuple<T...>> {
  static std::uint64_t of(const std::tuple<T...>& x) {
    std::uint64_t result = 0;
    std::apply(
        [&](const T&... y) { ((result = joined(result, hash_of(y))), ...); },
        x);
    return result;
  }
};
template <class T>
struct Hash<std::optional<T>> {
  static std::uint64_t of(const std::optional<T>& x) {
    return x ? joined(1, hash_of(*x)) : spread(0x9E3779B97F4A7C15);
  }
};
template <class List>
struct HashOfList {
  static std::uint64_t of(const List& x) {
    auto result = spread(x.size());
    for (const auto& y : x)
      result = joined(result, hash_of(y));
    return result;
  }
};
template <class T>
struct Hash<std::vector<T>> : HashOfList<std::vector<T>> {};
template <class T, std::size_t n>
struct Hash<std::array<T, n>> : HashOfList<std::array<T, n>> {};

} // namespace detail

/// Equal keys have equal hashes; those of a view and of its text are equal.
template <class T>
std::uint64_t hash_of(const T& x) {
  return detail::Hash<T>::of(x);
}

/// What can be a key.
template <class K>
concept Key = std::equality_comparable<K>;

/// By the upper half of the hash: tables in one partition go by the lower one.
inline int partition_of(std::uint64_t hash, int partitions) noexcept {
  return static_cast<int>((hash >> 32) * static_cast<std::uint64_t>(partitions)
                          >> 32);
}

} // namespace stoker::jobs
