#include "pages/linked_text.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <variant>

#include "pages/cells.hpp"
#include "scheduling/common/entity_id.hpp"

namespace stoker::pages {

namespace {

bool is_of_id(char x) {
  return (x >= '0' && x <= '9') || (x >= 'A' && x <= 'Z')
         || (x >= 'a' && x <= 'z') || x == '-' || x == '_' || x == '.'
         || x == ':' || x == '/' || x == '%';
}

/// An address of IPv6 may be in brackets within an id.
bool goes_on_with_id(char x) {
  return is_of_id(x) || x == '[' || x == ']';
}

/// The masters' ids have a date next: "worker-pool" is a word.
bool looks_like_id(std::string_view x) {
  constexpr std::array<std::string_view, 3> kinds{"app-", "driver-", "worker-"};
  return std::ranges::any_of(kinds, [&](std::string_view kind) {
    return x.starts_with(kind) && x.size() > kind.size()
           && x[kind.size()] >= '0' && x[kind.size()] <= '9';
  });
}

std::string href_of_id(const std::string& x) {
  auto id = looks_like_id(x) ? parse_entity_id(x) : std::nullopt;
  return id ? std::visit([](const auto& known) { return href_of(known); }, *id)
            : std::string{};
}

} // namespace

std::vector<TextPart> linked_text(std::string_view x) {
  std::vector<TextPart> result;
  auto add = [&](std::string_view text, const std::string& href) {
    if (href.empty() && !result.empty() && result.back().href.empty())
      result.back().text += text;
    else if (!text.empty())
      result.push_back({std::string{text}, href});
  };
  while (!x.empty()) {
    auto begin = std::ranges::find_if(x, is_of_id) - x.begin();
    add(x.substr(0, static_cast<std::size_t>(begin)), {});
    x.remove_prefix(static_cast<std::size_t>(begin));
    auto end = std::ranges::find_if_not(x, goes_on_with_id) - x.begin();
    auto word = x.substr(0, static_cast<std::size_t>(end));
    x.remove_prefix(word.size());
    // What ends a sentence, or a part of one.
    auto id = word.substr(0, word.find_last_not_of(".:/-_%[]") + 1);
    add(id, href_of_id(std::string{id}));
    add(word.substr(id.size()), {});
  }
  return result;
}

} // namespace stoker::pages
