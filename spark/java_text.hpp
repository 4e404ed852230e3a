#pragma once

#include <string>
#include <string_view>

namespace stoker::spark {

// Java writes text as "modified UTF-8" (java.io.DataInput): the UTF-16 of the text, each
// unit in one to three bytes. So a character beyond U+FFFF is a pair of surrogates of
// three bytes each, and NUL has two bytes.

/// Whether Java could read it. As Java, it takes units that are written longer than
/// needed, and single surrogates.
[[nodiscard]] bool is_modified_utf8(std::string_view x) noexcept;

/// As UTF-8. What is no text, as a single surrogate, becomes U+FFFD.
[[nodiscard]] std::string to_utf8(std::string_view modified);

/// The other way. Bytes that are no UTF-8 become U+FFFD.
[[nodiscard]] std::string to_modified_utf8(std::string_view utf8);

} // namespace stoker::spark
