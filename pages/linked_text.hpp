#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace stoker::pages {

/// A piece of a text.
struct TextPart {
  std::string text;

  /// The page of what it names; empty: it names nothing.
  std::string href;

  friend bool operator==(const TextPart&, const TextPart&) = default;
};

/// Takes a sentence apart: the ids of applications, executors, drivers and workers in it
/// lead to their pages, as "app-20261121074600-0001/0" and "worker=worker-20261121074600-h1-1".
std::vector<TextPart> linked_text(std::string_view x);

} // namespace stoker::pages
