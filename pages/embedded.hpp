#pragma once

#include <span>
#include <string>
#include <string_view>

namespace stoker::pages {

/// A file of the source tree, or of a library for browsers, that is part of the program.
struct EmbeddedFile {
  /// Without a folder, as "stoker.css".
  std::string_view name;
  std::string_view content;
};

/// Templates of pages (templates/).
std::span<const EmbeddedFile> embedded_templates();

/// What browsers load besides: styles, scripts, a picture.
std::span<const EmbeddedFile> embedded_assets();

/// Tells them from those of another version of the program: addresses have it, so that a
/// browser may keep what it has for long.
const std::string& assets_version();

/// What is asked at /api/v1, and the schemas of what is answered.
std::span<const EmbeddedFile> embedded_openapi();

} // namespace stoker::pages
