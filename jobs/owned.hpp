#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace stoker::jobs {

namespace detail {

template <class T>
struct OwnedOf {
  using type = T;
};
template <>
struct OwnedOf<std::string_view> {
  using type = std::string;
};
template <class A, class B>
struct OwnedOf<std::pair<A, B>> {
  using type = std::pair<typename OwnedOf<A>::type, typename OwnedOf<B>::type>;
};
template <class... T>
struct OwnedOf<std::tuple<T...>> {
  using type = std::tuple<typename OwnedOf<T>::type...>;
};
template <class T>
struct OwnedOf<std::optional<T>> {
  using type = std::optional<typename OwnedOf<T>::type>;
};
template <class T>
struct OwnedOf<std::vector<T>> {
  using type = std::vector<typename OwnedOf<T>::type>;
};

} // namespace detail

/// What is kept of a T: elements that are views, as lines of files are, hold while they
/// are passed from function to function, and what stays has their text.
template <class T>
using Owned = typename detail::OwnedOf<T>::type;

template <class T>
Owned<T> to_owned(const T& x);

namespace detail {

template <class T>
struct ToOwned {
  static Owned<T> of(const T& x) {
    return Owned<T>(x);
  }
};
template <class A, class B>
struct ToOwned<std::pair<A, B>> {
  static Owned<std::pair<A, B>> of(const std::pair<A, B>& x) {
    return {to_owned(x.first), to_owned(x.second)};
  }
};
template <class... T>
struct ToOwned<std::tuple<T...>> {
  static Owned<std::tuple<T...>> of(const std::tuple<T...>& x) {
    return std::apply(
        [](const T&... y) { return Owned<std::tuple<T...>>{to_owned(y)...}; },
        x);
  }
};
template <class T>
struct ToOwned<std::optional<T>> {
  static Owned<std::optional<T>> of(const std::optional<T>& x) {
    return x ? Owned<std::optional<T>>{to_owned(*x)} : std::nullopt;
  }
};
template <class T>
struct ToOwned<std::vector<T>> {
  static Owned<std::vector<T>> of(const std::vector<T>& x) {
    return {x.begin(), x.end()};
  }
};

} // namespace detail

template <class T>
Owned<T> to_owned(const T& x) {
  return detail::ToOwned<T>::of(x);
}

/// As above; takes what is in `x` if that is an Owned already.
template <class T>
Owned<T> take_owned(T& x) {
  if constexpr (std::is_same_v<T, Owned<T>>)
    return std::move(x);
  else
    return to_owned(x);
}

} // namespace stoker::jobs
