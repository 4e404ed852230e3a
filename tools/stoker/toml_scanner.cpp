#include "tools/stoker/toml_scanner.hpp"

#include <algorithm>

namespace stoker {

namespace {

bool is_number_byte(char c) {
  return c >= '0' && c <= '9';
}

bool is_key_byte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_number_byte(c)
         || c == '-' || c == '_';
}

/// Numbers, truth values, dates and times consist of these.
bool is_plain_byte(char c) {
  return is_key_byte(c) || c == '+' || c == '.' || c == ':';
}

bool is_control_byte(char c) {
  return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == '\x7f';
}

/// Functions return false if the text does not go on as they expect, or is nested too
/// deep. They recurse once for each level, so no more than `toml_depth_max` times.
class TomlScanner {
public:
  explicit TomlScanner(std::string_view text) : text_(text) {
  }

  TomlStructure run() {
    if (text_.starts_with("\xef\xbb\xbf"))
      at_ = 3;
    auto complete = true;
    while (complete && !at_end())
      complete = statement();
    if (!complete)
      skip_character();
    return {at_, complete, line_, too_deep_};
  }

private:
  static constexpr const char* values_too_deep = "values are nested too deep";

  // -- the structure ----------------------------------------------------------

  /// An empty line, the head of a table, or a key with its value.
  bool statement() {
    skip_blanks();
    auto c = peek();
    if (c == '[' && !header())
      return false;
    auto is_pair = is_key_byte(c) || c == '"' || c == '\'';
    if (is_pair && !pair(header_depth_))
      return false;
    skip_blanks();
    return (peek() != '#' || comment()) && (at_end() || line_break());
  }

  bool header() {
    ++at_;
    auto is_array = take('[');
    skip_blanks();
    header_depth_ = is_array ? 1 : 0;
    return key(header_depth_) && take(']') && (!is_array || take(']'));
  }

  bool pair(int depth) {
    if (!key(depth) || !take('='))
      return false;
    skip_blanks();
    return value(depth);
  }

  /// Adds the parts of the key to `depth`. Skips blanks after it.
  bool key(int& depth) {
    for (int parts = 1;; ++parts) {
      if (++depth > toml_depth_max)
        return deny(parts > 1 ? "a key has too many parts" : values_too_deep);
      if (!key_part())
        return false;
      skip_blanks();
      if (!take('.'))
        return true;
      skip_blanks();
    }
  }

  bool key_part() {
    auto c = peek();
    if (c == '"' || c == '\'')
      return !starts_with_three(c) && line_of_text(c);
    return skip_while(is_key_byte);
  }

  bool value(int depth) {
    switch (auto c = peek(); c) {
    case '"':
    case '\'':
      return starts_with_three(c) ? lines_of_text(c) : line_of_text(c);
    case '[':
      return array(depth + 1);
    case '{':
      return inline_table(depth + 1);
    default:
      return plain_value();
    }
  }

  bool array(int depth) {
    if (!enter(depth))
      return false;
    ++at_;
    for (;;) {
      if (!skip_blank_lines())
        return false;
      if (take(']'))
        return true;
      if (!value(depth) || !skip_blank_lines())
        return false;
      if (!take(',') && peek() != ']')
        return false;
    }
  }

  bool inline_table(int depth) {
    if (!enter(depth))
      return false;
    ++at_;
    skip_blanks();
    if (take('}'))
      return true;
    do {
      skip_blanks();
      if (!pair(depth))
        return false;
      skip_blanks();
    } while (take(','));
    return take('}');
  }

  bool enter(int depth) {
    return depth <= toml_depth_max || deny(values_too_deep);
  }

  bool deny(const char* what) {
    too_deep_ = what;
    return false;
  }

  // -- tokens -----------------------------------------------------------------

  bool plain_value() {
    if (!skip_while(is_plain_byte))
      return false;
    // A date may be separated from its time by a blank.
    while (peek() == ' ' && is_number_byte(text_[at_ - 1])
           && is_number_byte(peek(1))) {
      ++at_;
      skip_while(is_plain_byte);
    }
    return true;
  }

  bool line_of_text(char quote) {
    for (++at_; !at_end(); ++at_) {
      auto c = peek();
      if (c == quote) {
        ++at_;
        return true;
      }
      if (c == '\\' && quote == '"')
        c = peek(1), ++at_;
      if (is_control_byte(c))
        return false;
    }
    return false;
  }

  bool lines_of_text(char quote) {
    at_ += 3;
    while (!at_end()) {
      if (peek() == quote) {
        // The last two of five quotes belong to the text.
        std::size_t quotes = 1;
        while (quotes < 5 && peek(quotes) == quote)
          ++quotes;
        at_ += quotes;
        if (quotes >= 3)
          return true;
        continue;
      }
      if (peek() == '\\' && quote == '"' && ++at_ >= text_.size())
        return false;
      if (peek() == '\n' || peek() == '\r') {
        if (!line_break())
          return false;
        continue;
      }
      if (is_control_byte(peek()))
        return false;
      ++at_;
    }
    return false;
  }

  bool comment() {
    while (!at_end() && peek() != '\n' && peek() != '\r') {
      if (is_control_byte(peek()))
        return false;
      ++at_;
    }
    return true;
  }

  bool line_break() {
    if (peek() == '\r' && peek(1) == '\n')
      ++at_;
    if (peek() != '\n')
      return false;
    ++at_;
    ++line_;
    return true;
  }

  void skip_blanks() {
    while (peek() == ' ' || peek() == '\t')
      ++at_;
  }

  /// Blanks, ends of lines and comments.
  bool skip_blank_lines() {
    for (;;) {
      skip_blanks();
      auto c = peek();
      if (c == '#' ? !comment() : c != '\n' && c != '\r')
        return c != '#';
      if (c != '#' && !line_break())
        return false;
    }
  }

  template <class Predicate>
  bool skip_while(Predicate predicate) {
    auto begin = at_;
    while (!at_end() && predicate(peek()))
      ++at_;
    return at_ > begin;
  }

  /// Also the rest of a character of several bytes.
  void skip_character() {
    at_ = std::min(at_ + 1, text_.size());
    while ((static_cast<unsigned char>(peek()) & 0xc0U) == 0x80)
      ++at_;
  }

  bool starts_with_three(char quote) const {
    return peek(1) == quote && peek(2) == quote;
  }

  bool take(char c) {
    if (at_end() || peek() != c)
      return false;
    ++at_;
    return true;
  }

  [[nodiscard]] bool at_end() const {
    return at_ >= text_.size();
  }

  /// NUL at the end, which is a control character in the text, too.
  [[nodiscard]] char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int line_ = 1;
  int header_depth_ = 0;
  const char* too_deep_ = nullptr;
};

} // namespace

TomlStructure scan_toml(std::string_view text) {
  return TomlScanner{text}.run();
}

} // namespace stoker
