#include "tools/stoker/text_width.hpp"

#include <locale.h>
#include <wchar.h>

#include <algorithm>

#include "messages/printable.hpp"

namespace stoker {

namespace {

/// Whatever the user's locale is, texts are UTF-8. Null: the system has no such locale.
locale_t locale_of_texts() {
  static const auto result
      = ::newlocale(LC_CTYPE_MASK, "C.UTF-8", static_cast<locale_t>(nullptr));
  return result;
}

/// Of this thread, as long as it lives.
class UsedLocale {
public:
  explicit UsedLocale(locale_t used) : usual_(::uselocale(used)) {
  }
  ~UsedLocale() {
    ::uselocale(usual_);
  }

  UsedLocale(const UsedLocale&) = delete;
  UsedLocale& operator=(const UsedLocale&) = delete;

private:
  locale_t usual_;
};

bool is_plain(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return c >= ' ' && c < '\x7f'; });
}

/// Calls `take` with each character and its cells, until that returns false.
/// @param text Printable.
template <class Take>
void for_each_character(std::string_view text, Take take) {
  auto locale = locale_of_texts();
  UsedLocale used{locale};
  while (!text.empty()) {
    wchar_t character = 0;
    mbstate_t state{};
    auto bytes = ::mbrtowc(&character, text.data(), text.size(), &state);
    std::size_t cells = 1;
    if (locale == nullptr || bytes == 0 || bytes > text.size()) {
      // The first byte of a character counts for all of it.
      bytes = 1;
      cells = (static_cast<unsigned char>(text.front()) & 0xc0) == 0x80 ? 0 : 1;
    } else if (auto width = ::wcwidth(character); width >= 0) {
      cells = static_cast<std::size_t>(width);
    }
    if (!take(text.substr(0, bytes), cells))
      return;
    text.remove_prefix(bytes);
  }
}

/// @param text Printable.
std::size_t cells_of_printable(std::string_view text) {
  if (is_plain(text))
    return text.size();
  std::size_t result = 0;
  for_each_character(text, [&](std::string_view, std::size_t cells) {
    result += cells;
    return true;
  });
  return result;
}

} // namespace

std::size_t cells_of(std::string_view text) {
  return is_plain(text) ? text.size() : cells_of_printable(printable(text));
}

std::string shortened_to_cells(std::string_view text, std::size_t max) {
  auto shown = is_plain(text) ? std::string{text} : printable(text);
  if (cells_of_printable(shown) <= max)
    return shown;
  std::string result;
  std::size_t taken = 0;
  for_each_character(shown, [&](std::string_view x, std::size_t cells) {
    taken += cells;
    if (taken > max - 3)
      return false;
    result += x;
    return true;
  });
  return result + "...";
}

std::string in_cells(std::string_view text, std::size_t cells) {
  auto result = shortened_to_cells(text, cells);
  return result.append(cells - cells_of(result), ' ');
}

} // namespace stoker
