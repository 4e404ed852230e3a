#pragma once

// Texts whose characters take other than one cell of a terminal each.

namespace stoker::test {

/// Two characters of two cells each.
constexpr const char* chinese = "\xe4\xb8\xad\xe6\x96\x87";
constexpr const char* korean = "\xed\x95\x9c\xea\xb8\x80";

/// An A as wide as they are.
constexpr const char* full_width = "\xef\xbc\xa1";

/// An emoji: two cells.
constexpr const char* rocket = "\xf0\x9f\x9a\x80";

/// "Zoe" with a diaeresis of its own over the last letter, and an "l": four cells.
constexpr const char* combined = "Zoe\xcc\x88l";

} // namespace stoker::test
