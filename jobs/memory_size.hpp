#pragma once

// How much memory a value takes besides its own size: counted by what its type says, with
// a stated surcharge for each piece that is allocated.

#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "jobs/codec.hpp"

namespace stoker::jobs {

/// What an allocator needs for a piece, beside its bytes.
inline constexpr std::size_t allocation_overhead = 16;

/// What a node of a tree needs, beside its value.
inline constexpr std::size_t tree_node_overhead = 32 + allocation_overhead;

template <class T>
std::size_t held_bytes(const T& x);

namespace detail {

/// `any`: whether there can be some.
template <class T>
struct Held {
  static constexpr bool any = is_described<T>;
  static std::size_t of(const T& x) {
    std::size_t result = 0;
    if constexpr (is_described<T>)
      boost::mp11::mp_for_each<TravellingMembers<T>>(
          [&](auto member) { result += held_bytes(x.*member.pointer); });
    else
      static_cast<void>(x);
    return result;
  }
};
template <class T>
struct Held<const T> : Held<T> {};
template <>
struct Held<std::string> {
  static constexpr bool any = true;
  static std::size_t of(const std::string& x) {
    static const auto inside = std::string{}.capacity();
    return x.capacity() <= inside ? 0 : x.capacity() + 1 + allocation_overhead;
  }
};
template <class A, class B>
struct Held<std::pair<A, B>> {
  static constexpr bool any = Held<A>::any || Held<B>::any;
  static std::size_t of(const std::pair<A, B>& x) {
    return held_bytes(x.first) + held_bytes(x.second);
  }
};
template <class... T>
struct Held<std::tuple<T...>> {
  static constexpr bool any = (false || ... || Held<T>::any);
  static std::size_t of(const std::tuple<T...>& x) {
    return std::apply(
        [](const T&... y) { return (std::size_t{0} + ... + held_bytes(y)); },
        x);
  }
};
template <class T>
struct Held<std::optional<T>> {
  static constexpr bool any = Held<T>::any;
  static std::size_t of(const std::optional<T>& x) {
    return x ? held_bytes(*x) : 0;
  }
};
template <class List>
std::size_t held_by_elements(const List& x) {
  std::size_t result = 0;
  if constexpr (Held<typename List::value_type>::any)
    for (const auto& y : x)
      result += held_bytes(y);
  return result;
}
template <class T, std::size_t n>
struct Held<std::array<T, n>> {
  static constexpr bool any = Held<T>::any;
  static std::size_t of(const std::array<T, n>& x) {
    return held_by_elements(x);
  }
};
template <class T>
struct Held<std::vector<T>> {
  static constexpr bool any = true;
  static std::size_t of(const std::vector<T>& x) {
    return x.capacity() == 0 ? 0
                             : x.capacity() * sizeof(T) + allocation_overhead
                                   + held_by_elements(x);
  }
};
template <>
struct Held<std::vector<bool>> {
  static constexpr bool any = true;
  static std::size_t of(const std::vector<bool>& x) {
    return x.capacity() / 8 + allocation_overhead;
  }
};
template <class Tree>
struct HeldByTree {
  static constexpr bool any = true;
  static std::size_t of(const Tree& x) {
    return x.size() * (sizeof(typename Tree::value_type) + tree_node_overhead)
           + held_by_elements(x);
  }
};
template <class K, class V>
struct Held<std::map<K, V>> : HeldByTree<std::map<K, V>> {};
template <class T>
struct Held<std::set<T>> : HeldByTree<std::set<T>> {};

} // namespace detail

/// Whether values of that type can take more than their own size.
template <class T>
inline constexpr bool holds_memory = detail::Held<std::remove_cv_t<T>>::any;

/// Bytes, without `sizeof x`.
template <class T>
std::size_t held_bytes(const T& x) {
  if constexpr (holds_memory<T>)
    return detail::Held<T>::of(x);
  else
    return 0;
}

} // namespace stoker::jobs
