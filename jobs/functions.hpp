#pragma once

// What can be a function of a job: its type says what it does, in all processes of the
// program, and what it holds travels.

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>
#include <typeinfo>
#include <utility>

#include "jobs/codec.hpp"

namespace stoker::jobs {

/// A text that is part of a type.
template <std::size_t n>
struct TypeText {
  char text[n] = {};

  // NOLINTNEXTLINE(google-explicit-constructor): named<"text">
  consteval TypeText(const char (&x)[n]) {
    std::copy_n(x, n, text);
  }
};

/// A function with a name of its own, see `named`.
template <TypeText name, class F>
struct Named : F {
  static constexpr std::string_view name_of_function{name.text};
};

/// Gives a function object the name by which executors know it, in place of that of its
/// type: for types without one that is the same nowhere else in the program, as in
/// unnamed namespaces of several sources.
///
///     lines.map(named<"shout">([](std::string_view line) { ... }))
template <TypeText name, class F>
Named<name, F> named(F f) {
  return {std::move(f)};
}

namespace detail {

/// Calls a function that the type knows.
template <auto function>
struct Constant {
  template <class... Arguments>
  decltype(auto) operator()(Arguments&&... arguments) const {
    return function(std::forward<Arguments>(arguments)...);
  }
};

template <class F>
inline constexpr bool is_constant = false;
template <auto function>
inline constexpr bool is_constant<Constant<function>> = true;

} // namespace detail

/// A free function, as function of a job: `lines.map(fn<&parse>)`.
template <auto function>
inline constexpr detail::Constant<function> fn{};

/// Holds nothing: its type is all of it.
template <class F>
inline constexpr bool is_stateless
    = std::is_empty_v<F>&& std::is_default_constructible_v<F>;

namespace detail {

template <class F>
inline constexpr bool is_named = false;
template <TypeText name, class F>
inline constexpr bool is_named<Named<name, F>> = true;

template <class F>
struct HeldBy {
  using type = F;
};
template <TypeText name, class F>
struct HeldBy<Named<name, F>> {
  using type = F;
};

template <class F>
constexpr bool holds_what_travels() {
  return is_stateless<
             F> || (is_described<F> && std::is_default_constructible_v<F>);
}

} // namespace detail

/// The function itself, without its name.
template <class F>
using FunctionHeld = typename detail::HeldBy<F>::type;

/// Whether a job takes it: a lambda without captures, `fn<&f>`, or an object whose
/// described members are all that it holds.
template <class F>
inline constexpr bool is_job_function
    = std::is_class_v<F>&& detail::holds_what_travels<FunctionHeld<F>>();

/// Compiles for functions of jobs only, and says what to do about others.
template <class F>
constexpr void require_job_function() {
  static_assert(
      !std::is_pointer_v<F> && !std::is_member_pointer_v<F>,
      "a pointer to a function means nothing in another process: write "
      "stoker::jobs::fn<&function>");
  static_assert(
      std::is_pointer_v<F> || std::is_member_pointer_v<F> || is_job_function<F>,
      "a function of a job captures nothing, because it runs in other "
      "processes: give "
      "it a described struct instead, with the captured values as members "
      "(BOOST_DESCRIBE_STRUCT), a default constructor and operator() const");
}

template <class F>
std::string state_of(const F& f) {
  if constexpr (is_stateless<F>)
    return {};
  else
    return to_bytes(static_cast<const FunctionHeld<F>&>(f));
}

/// False: these bytes are not its state.
template <class F>
bool restore(std::string_view bytes, F& f) {
  if constexpr (is_stateless<F>) {
    static_cast<void>(f);
    return bytes.empty();
  } else {
    Decoder in{bytes};
    return Codec<FunctionHeld<F>>::take(in, static_cast<FunctionHeld<F>&>(f))
           && in.left() == 0;
  }
}

/// By which all processes of one program know a type.
template <class T>
std::string type_name() {
  if constexpr (detail::is_named<T>)
    return std::string{T::name_of_function};
  else
    return typeid(T).name();
}

// -- what functions take and return -------------------------------------------

template <class T>
class Emit;

template <class T>
class Elements;

namespace detail {

template <class T>
struct EmittedThrough {
  using type = void;
};
template <class T>
struct EmittedThrough<Emit<T>&> {
  using type = T;
};

/// Of no types: void.
template <class... T>
struct LastOf {
  using type = void;
};
template <class Last>
struct LastOf<Last> {
  using type = Last;
};
template <class First, class Second, class... Others>
struct LastOf<First, Second, Others...> : LastOf<Second, Others...> {};

template <class Signature>
struct EmittedBySignature {
  using type = void;
};
template <class R, class C, class... A>
struct EmittedBySignature<R (C::*)(A...) const>
    : EmittedThrough<typename LastOf<A...>::type> {};
template <class R, class C, class... A>
struct EmittedBySignature<R (C::*)(A...)>
    : EmittedThrough<typename LastOf<A...>::type> {};
template <class R, class... A>
struct EmittedBySignature<R (*)(A...)>
    : EmittedThrough<typename LastOf<A...>::type> {};

template <class F>
struct EmittedByFunction {
  static auto find() {
    if constexpr (requires { &F::operator(); })
      return EmittedBySignature<decltype(&F::operator())>{};
    else
      return EmittedBySignature<void>{};
  }
  using type = typename decltype(find())::type;
};
template <auto function>
struct EmittedByFunction<Constant<function>>
    : EmittedBySignature<decltype(function)> {};

} // namespace detail

/// What a function emits whose last parameter is an `Emit<U>&`: U; void: it has none.
template <class F>
using EmittedBy = typename detail::EmittedByFunction<FunctionHeld<F>>::type;

} // namespace stoker::jobs
