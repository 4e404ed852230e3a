#pragma once

// What one BOOST_DESCRIBE_STRUCT line gives a message: serialization by CAF and
// comparison here, JSON in messages/json.hpp. All fields travel in the order of
// the line.

#include <optional>
#include <type_traits>

#include <boost/describe.hpp>
#include <caf/optional.hpp>

namespace stoker {

/// The described members of T, as a list of descriptors.
template <class T>
using MembersOf
    = boost::describe::describe_members<T, boost::describe::mod_public>;

/// Serializes any described struct of this namespace with CAF 0.17, which finds
/// the function by argument dependent look-up.
///
/// CAF asks for the result's type in every source that names an actor's interface.
/// With `auto` each of them would compile the body; and one call for each member
/// shares what is compiled for members of the same type.
template <class Inspector, class T, class Members = MembersOf<T>>
typename Inspector::result_type inspect(Inspector& f, T& x) {
  return [&]<template <class...> class List, class... Member>(List<Member...>) {
    if constexpr (std::is_void_v<typename Inspector::result_type>) {
      (f(x.*Member::pointer), ...);
    } else {
      typename Inspector::result_type error;
      static_cast<void>((... || (error = f(x.*Member::pointer))));
      return error;
    }
  }(Members{});
}

/// Compares any described struct of this namespace that has no comparison of its
/// own: field by field, in order.
template <class T>
requires(boost::describe::has_describe_members<T>::value) bool
operator==(const T& x, const T& y) {
  return []<template <class...> class List, class... Members>(
             const T& a, const T& b, List<Members...>) {
    return (true && ... && (a.*Members::pointer == b.*Members::pointer));
  }(x, y, MembersOf<T>{});
}

} // namespace stoker

namespace caf {

/// CAF 0.17 knows `caf::optional` only. Stands in its namespace because that is
/// where the look-up for a type of the standard library finds it.
template <class Inspector, class T>
typename Inspector::result_type inspect(Inspector& f, std::optional<T>& x) {
  caf::optional<T> twin;
  if constexpr (Inspector::reads_state) {
    if (x)
      twin = *x;
    return f(twin);
  } else {
    auto result = f(twin);
    x = twin ? std::optional<T>{std::move(*twin)} : std::nullopt;
    return result;
  }
}

} // namespace caf
