#pragma once

// Values for described structs, found by walking their members, so that a field
// that is added later is covered without anybody thinking of it.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <boost/describe.hpp>
#include <boost/mp11.hpp>

#include "messages/fields.hpp"
#include "scheduling/common/random.hpp"

namespace stoker::test {

/// Gives `x` a random value that differs from the one it has; a struct's
/// members all get one, at every depth. Containers get elements, optionals a
/// value.
template <class T>
void fill(T& x, Random& random) {
  constexpr auto kind = kind_of<T>;
  if constexpr (kind == FieldKind::id || kind == FieldKind::number) {
    fill(x.value, random);
  } else if constexpr (kind == FieldKind::optional) {
    fill(x.emplace(), random);
  } else if constexpr (kind == FieldKind::list) {
    x.resize(1 + random.below(3));
    for (auto& element : x)
      fill(element, random);
  } else if constexpr (kind == FieldKind::map) {
    x.clear();
    for (auto n = 1 + random.below(3); n > 0; --n)
      fill(x["key " + std::to_string(n)], random);
  } else if constexpr (kind == FieldKind::duration) {
    x += T{1 + random.below(100000)};
  } else if constexpr (kind == FieldKind::instant) {
    x += Duration{1 + random.below(100000)};
  } else if constexpr (kind == FieldKind::enumeration) {
    using Enumerators = boost::describe::describe_enumerators<T>;
    std::vector<T> others;
    boost::mp11::mp_for_each<Enumerators>([&](auto enumerator) {
      if (enumerator.value != x)
        others.push_back(enumerator.value);
    });
    x = others.at(random.below(others.size()));
  } else if constexpr (kind == FieldKind::record) {
    for_each_field(x, [&](auto, auto& value) { fill(value, random); });
  } else if constexpr (kind == FieldKind::boolean) {
    x = !x;
  } else if constexpr (kind == FieldKind::text) {
    // Quotes, control characters and more than ASCII, since all of it travels.
    const std::vector<std::string> parts{"a", "Z", "\"", "\\", "\n", " ", "é"};
    x += 'x';
    for (auto n = random.below(8); n > 0; --n)
      x += parts[random.below(parts.size())];
  } else if constexpr (kind == FieldKind::floating) {
    // Halves, so that no text rounds them.
    x += 0.5 + static_cast<T>(random.below(1U << 20));
  } else {
    static_assert(kind == FieldKind::integer);
    // The extremes now and then: they are where a width is lost.
    auto old = x;
    auto choice = random.below(4);
    if (choice == 0)
      x = std::numeric_limits<T>::max();
    else if (choice == 1)
      x = std::numeric_limits<T>::min();
    else
      x = static_cast<T>(random.below(1U << 30));
    if (x == old)
      x = static_cast<T>(old ^ 1);
  }
}

/// The paths of the members that have the same value in both, at every depth
/// that both have in common.
template <class T>
void find_equal_fields(const T& x, const T& y, const std::string& path,
                       std::vector<std::string>& out) {
  if constexpr (kind_of<T> == FieldKind::record)
    boost::mp11::mp_for_each<MembersOf<T>>([&](auto member) {
      find_equal_fields(x.*member.pointer, y.*member.pointer,
                        path + '.' + member.name, out);
    });
  else if (x == y)
    out.push_back(path);
}

} // namespace stoker::test
