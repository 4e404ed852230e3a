#pragma once

// How elements become bytes, which other tasks and the driver read: numbers as they are
// in memory, the lowest byte first; texts and lists behind their length; structs member
// by member, in the order of their description. All that reads checks how much is there.

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <boost/describe.hpp>
#include <boost/mp11.hpp>

namespace stoker::jobs {

static_assert(std::endian::native == std::endian::little,
              "elements are written as they are in memory");

/// Takes bytes from the front of some that somebody else wrote.
class Decoder {
public:
  explicit Decoder(std::string_view bytes)
      : at_(bytes.data()), end_(bytes.data() + bytes.size()) {
  }

  [[nodiscard]] std::size_t left() const noexcept {
    return static_cast<std::size_t>(end_ - at_);
  }

  /// The next so many; null: there are fewer.
  const char* take(std::size_t count) noexcept {
    if (left() < count)
      return nullptr;
    const auto* result = at_;
    at_ += count;
    return result;
  }

  /// False: it does not end, or is no length.
  bool take_length(std::uint64_t& x) noexcept {
    x = 0;
    for (auto shift = 0; shift < 64; shift += 7) {
      const auto* byte = take(1);
      if (byte == nullptr)
        return false;
      auto bits = static_cast<unsigned char>(*byte);
      if (shift == 63 && bits > 1)
        return false;
      x |= std::uint64_t{bits & 0x7FU} << shift;
      if (bits < 0x80)
        return true;
    }
    return false;
  }

private:
  const char* at_;
  const char* end_;
};

/// Seven bits a byte, the lowest first.
inline void put_length(std::string& out, std::uint64_t x) {
  for (; x >= 0x80; x >>= 7)
    out += static_cast<char>(x | 0x80);
  out += static_cast<char>(x);
}

template <class T>
inline constexpr bool is_plain
    = (std::is_arithmetic_v<T> && !std::is_same_v<T, long double>)
      || std::is_enum_v<T>;

/// The members by which a struct travels, those of its bases first.
template <class T>
using TravellingMembers = boost::describe::describe_members<
    T, boost::describe::mod_public | boost::describe::mod_inherited>;

template <class T>
inline constexpr bool is_described
    = boost::describe::has_describe_members<T>::value;

/// `put(out, x)` appends, `take(in, x)` reads and returns whether that was there.
template <class T>
struct Codec {
  static_assert(
      is_described<T>,
      "elements of this type cannot travel between processes: describe the "
      "struct with BOOST_DESCRIBE_STRUCT, or use numbers, bool, enums, "
      "strings, pair, tuple, array, vector, map, set or optional of such");

  static void put(std::string& out, const T& x) {
    // Each element takes some bytes, so that no length asks for more than is there.
    if constexpr (boost::mp11::mp_empty<TravellingMembers<T>>::value)
      out += '\0';
    boost::mp11::mp_for_each<TravellingMembers<T>>([&](auto member) {
      using Member = std::remove_cvref_t<decltype(x.*member.pointer)>;
      Codec<Member>::put(out, x.*member.pointer);
    });
  }

  static bool take(Decoder& in, T& x) {
    if constexpr (boost::mp11::mp_empty<TravellingMembers<T>>::value)
      return in.take(1) != nullptr;
    auto good = true;
    boost::mp11::mp_for_each<TravellingMembers<T>>([&](auto member) {
      using Member = std::remove_cvref_t<decltype(x.*member.pointer)>;
      good = good && Codec<Member>::take(in, x.*member.pointer);
    });
    return good;
  }
};

template <class T>
requires is_plain<T>
struct Codec<T> {
  static void put(std::string& out, const T& x) {
    out.append(reinterpret_cast<const char*>(&x), sizeof x);
  }

  static bool take(Decoder& in, T& x) {
    const auto* bytes = in.take(sizeof x);
    if (bytes == nullptr)
      return false;
    if constexpr (std::is_same_v<T, bool>) {
      x = *bytes != 0;
      return *bytes == 0 || *bytes == 1;
    } else {
      std::memcpy(&x, bytes, sizeof x);
      return true;
    }
  }
};

/// Is written as the text is; who reads has a std::string.
template <>
struct Codec<std::string_view> {
  static void put(std::string& out, std::string_view x) {
    put_length(out, x.size());
    out += x;
  }
};

template <>
struct Codec<std::string> {
  static void put(std::string& out, std::string_view x) {
    Codec<std::string_view>::put(out, x);
  }

  static bool take(Decoder& in, std::string& x) {
    std::uint64_t size = 0;
    if (!in.take_length(size) || size > in.left())
      return false;
    x.assign(in.take(size), size);
    return true;
  }
};

template <class A, class B>
struct Codec<std::pair<A, B>> {
  static void put(std::string& out, const std::pair<A, B>& x) {
    Codec<A>::put(out, x.first);
    Codec<B>::put(out, x.second);
  }

  static bool take(Decoder& in, std::pair<A, B>& x) {
    return Codec<A>::take(in, x.first) && Codec<B>::take(in, x.second);
  }
};

template <class... T>
struct Codec<std::tuple<T...>> {
  static void put(std::string& out, const std::tuple<T...>& x) {
    std::apply([&](const T&... y) { (Codec<T>::put(out, y), ...); }, x);
    if constexpr (sizeof...(T) == 0)
      out += '\0';
  }

  static bool take(Decoder& in, std::tuple<T...>& x) {
    if constexpr (sizeof...(T) == 0)
      return in.take(1) != nullptr;
    return std::apply(
        [&](T&... y) { return (true && ... && Codec<T>::take(in, y)); }, x);
  }
};

template <class T>
struct Codec<std::optional<T>> {
  static void put(std::string& out, const std::optional<T>& x) {
    out += x ? '\1' : '\0';
    if (x)
      Codec<T>::put(out, *x);
  }

  static bool take(Decoder& in, std::optional<T>& x) {
    auto is_set = false;
    x.reset();
    if (!Codec<bool>::take(in, is_set))
      return false;
    return !is_set || Codec<T>::take(in, x.emplace());
  }
};

template <class T, std::size_t n>
struct Codec<std::array<T, n>> {
  static void put(std::string& out, const std::array<T, n>& x) {
    for (const auto& y : x)
      Codec<T>::put(out, y);
    if constexpr (n == 0)
      out += '\0';
  }

  static bool take(Decoder& in, std::array<T, n>& x) {
    if constexpr (n == 0)
      return in.take(1) != nullptr;
    for (auto& y : x)
      if (!Codec<T>::take(in, y))
        return false;
    return true;
  }
};

namespace detail {

/// A length that the bytes that follow may have: each element takes one at least.
inline bool take_count(Decoder& in, std::uint64_t& count) {
  return in.take_length(count) && count <= in.left();
}

template <class Container>
void put_all(std::string& out, const Container& x) {
  put_length(out, x.size());
  for (const auto& y : x)
    Codec<std::remove_cvref_t<decltype(y)>>::put(out, y);
}

} // namespace detail

template <class T>
struct Codec<std::vector<T>> {
  static void put(std::string& out, const std::vector<T>& x) {
    if constexpr (is_plain<T> && !std::is_same_v<T, bool>) {
      put_length(out, x.size());
      out.append(reinterpret_cast<const char*>(x.data()), x.size() * sizeof(T));
    } else if constexpr (std::is_same_v<T, bool>) {
      put_length(out, x.size());
      for (bool y : x)
        out += y ? '\1' : '\0';
    } else {
      detail::put_all(out, x);
    }
  }

  static bool take(Decoder& in, std::vector<T>& x) {
    std::uint64_t count = 0;
    x.clear();
    if (!detail::take_count(in, count))
      return false;
    if constexpr (is_plain<T> && !std::is_same_v<T, bool>) {
      if (count > in.left() / sizeof(T))
        return false;
      x.resize(count);
      if (count > 0)
        std::memcpy(x.data(), in.take(count * sizeof(T)), count * sizeof(T));
    } else {
      // Not what the length says: an element may be large in memory.
      for (std::uint64_t i = 0; i < count; ++i) {
        T y{};
        if (!Codec<T>::take(in, y))
          return false;
        x.push_back(std::move(y));
      }
    }
    return true;
  }
};

template <class K, class V>
struct Codec<std::map<K, V>> {
  static void put(std::string& out, const std::map<K, V>& x) {
    put_length(out, x.size());
    for (const auto& [key, value] : x) {
      Codec<K>::put(out, key);
      Codec<V>::put(out, value);
    }
  }

  static bool take(Decoder& in, std::map<K, V>& x) {
    std::uint64_t count = 0;
    x.clear();
    if (!detail::take_count(in, count))
      return false;
    for (std::uint64_t i = 0; i < count; ++i) {
      std::pair<K, V> y;
      if (!Codec<std::pair<K, V>>::take(in, y))
        return false;
      x.emplace_hint(x.end(), std::move(y));
    }
    return true;
  }
};

template <class T>
struct Codec<std::set<T>> {
  static void put(std::string& out, const std::set<T>& x) {
    detail::put_all(out, x);
  }

  static bool take(Decoder& in, std::set<T>& x) {
    std::uint64_t count = 0;
    x.clear();
    if (!detail::take_count(in, count))
      return false;
    for (std::uint64_t i = 0; i < count; ++i) {
      T y{};
      if (!Codec<T>::take(in, y))
        return false;
      x.emplace_hint(x.end(), std::move(y));
    }
    return true;
  }
};

// -- whole values -------------------------------------------------------------

template <class T>
void put(std::string& out, const T& x) {
  Codec<T>::put(out, x);
}

template <class T>
std::string to_bytes(const T& x) {
  std::string result;
  put(result, x);
  return result;
}

/// Nothing: these are not the bytes of one T.
template <class T>
std::optional<T> from_bytes(std::string_view bytes) {
  Decoder in{bytes};
  std::optional<T> result{std::in_place};
  if (!Codec<T>::take(in, *result) || in.left() > 0)
    return std::nullopt;
  return result;
}

} // namespace stoker::jobs
