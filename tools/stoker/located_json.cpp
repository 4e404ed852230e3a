#include "tools/stoker/located_json.hpp"

#include <algorithm>
#include <cassert>
#include <limits>
#include <set>
#include <utility>

#include <boost/json/basic_parser_impl.hpp>

#include "messages/printable.hpp"

namespace stoker {

namespace {

namespace json = boost::json;

constexpr std::string_view json_spaces = " \t\r\n";

/// What ends a number, `true`, `false` or `null`, or stands between values.
constexpr std::string_view json_separators = " \t\r\n,:]}";

/// Goes forward through a text and counts its lines.
class PlaceCounter {
public:
  explicit PlaceCounter(std::string_view text) : text_(text) {
  }

  /// @pre not before the last one
  TextPlace at(std::size_t offset) {
    assert(offset >= offset_ && offset <= text_.size());
    for (; offset_ < offset; ++offset_) {
      if (text_[offset_] == '\n') {
        ++place_.line;
        place_.column = 1;
      } else {
        ++place_.column;
      }
    }
    return place_;
  }

private:
  std::string_view text_;
  std::size_t offset_ = 0;
  TextPlace place_;
};

/// Makes values of what the parser finds. The function names are the parser's.
class LocatedJsonHandler {
public:
  static constexpr std::size_t max_object_size
      = std::numeric_limits<std::size_t>::max();
  static constexpr std::size_t max_array_size = max_object_size;
  static constexpr std::size_t max_key_size = max_object_size;
  static constexpr std::size_t max_string_size = max_object_size;

  explicit LocatedJsonHandler(std::size_t values_max)
      : values_max_(values_max) {
  }

  /// Where the next value or key begins.
  TextPlace place;

  /// What the text has there, up to what ends a number.
  std::string_view word;

  /// What is wrong, if it is nothing that the parser knows.
  std::string problem;

  LocatedJson result;

  static bool on_document_begin(json::error_code&) {
    return true;
  }
  static bool on_document_end(json::error_code&) {
    return true;
  }
  bool on_array_begin(json::error_code& ec) {
    return open(LocatedJson::Array{}, ec);
  }
  bool on_array_end(std::size_t, json::error_code& ec) {
    return close(ec);
  }
  bool on_object_begin(json::error_code& ec) {
    return open(LocatedJson::Object{}, ec);
  }
  bool on_object_end(std::size_t, json::error_code& ec) {
    return close(ec);
  }
  bool on_key_part(json::string_view part, std::size_t, json::error_code&) {
    text_ += part;
    return true;
  }
  bool on_key(json::string_view part, std::size_t, json::error_code& ec) {
    text_ += part;
    auto& object = open_.back();
    if (!object.keys.insert(text_).second)
      return fail("the key '" + text_ + "' is there twice", ec);
    object.key = std::exchange(text_, {});
    object.key_place = place;
    return true;
  }
  bool on_string_part(json::string_view part, std::size_t, json::error_code&) {
    text_ += part;
    return true;
  }
  bool on_string(json::string_view part, std::size_t, json::error_code& ec) {
    text_ += part;
    return add({place, std::exchange(text_, {})}, ec);
  }
  static bool on_number_part(json::string_view, json::error_code&) {
    return true;
  }
  bool on_int64(std::int64_t x, json::string_view, json::error_code& ec) {
    return add(
        {place, JsonNumber{std::string{word}, true, x, static_cast<double>(x)}},
        ec);
  }
  bool on_uint64(std::uint64_t x, json::string_view, json::error_code& ec) {
    return add({place, JsonNumber{std::string{word}, false, 0,
                                  static_cast<double>(x)}},
               ec);
  }
  bool on_double(double x, json::string_view, json::error_code& ec) {
    return add({place, JsonNumber{std::string{word}, false, 0, x}}, ec);
  }
  bool on_bool(bool x, json::error_code& ec) {
    return add({place, x}, ec);
  }
  bool on_null(json::error_code& ec) {
    return add({place, std::monostate{}}, ec);
  }
  static bool on_comment_part(json::string_view, json::error_code&) {
    return true;
  }
  static bool on_comment(json::string_view, json::error_code&) {
    return true;
  }

private:
  /// An array or object whose end has not come.
  struct Open {
    LocatedJson value;
    std::set<std::string> keys;
    std::string key;
    TextPlace key_place;
  };

  bool fail(std::string what, json::error_code& ec) {
    problem = std::move(what);
    ec = json::error::exception;
    return false;
  }

  template <class T>
  bool open(T empty, json::error_code& ec) {
    open_.push_back({{place, std::move(empty)}, {}, {}, {}});
    return count(ec);
  }

  bool close(json::error_code&) {
    auto value = std::move(open_.back().value);
    open_.pop_back();
    put(std::move(value));
    return true;
  }

  bool add(LocatedJson value, json::error_code& ec) {
    put(std::move(value));
    return count(ec);
  }

  bool count(json::error_code& ec) {
    return ++values_ <= values_max_
           || fail("it has more than " + std::to_string(values_max_)
                       + " values",
                   ec);
  }

  void put(LocatedJson value) {
    if (open_.empty()) {
      result = std::move(value);
      return;
    }
    auto& to = open_.back();
    if (auto* array = std::get_if<LocatedJson::Array>(&to.value.value))
      array->push_back(std::move(value));
    else
      std::get<LocatedJson::Object>(to.value.value)
          .push_back({std::move(to.key), to.key_place, std::move(value)});
  }

  std::size_t values_max_;
  std::size_t values_ = 0;
  std::vector<Open> open_;
  std::string text_;
};

/// The end of the string, number or bracket that begins at `begin`. A string that has
/// no end ends with its line: then the parser says what is wrong.
std::size_t end_of_token(std::string_view text, std::size_t begin) {
  auto first = text[begin];
  if (first == '[' || first == '{')
    return begin + 1;
  if (first != '"') {
    auto end = text.find_first_of(" \t\r\n,:[]{}\"", begin);
    return end == std::string_view::npos ? text.size() : end;
  }
  for (auto i = begin + 1; i < text.size(); ++i) {
    if (text[i] == '\\')
      ++i;
    else if (text[i] == '"')
      return i + 1;
    else if (text[i] == '\n')
      return i;
  }
  return text.size();
}

std::string name_of_byte(std::string_view text, std::size_t offset) {
  auto c = static_cast<unsigned char>(text[offset]);
  if (c == '\n' || c == '\r')
    return "end of the line";
  if (c == '\t')
    return "tab";
  if (c >= ' ' && c < 0x7f)
    return std::string{"'"} + text[offset] + "'";
  constexpr const char* hex = "0123456789abcdef";
  return std::string{"byte 0x"} + hex[c / 16] + hex[c % 16];
}

/// What to say of a text that is no JSON, at the place where that was noticed.
std::string syntax_problem(std::string_view text, std::size_t offset,
                           const json::error_code& ec, std::size_t depth_max) {
  if (ec == json::error::too_deep)
    return "arrays and objects stand in one another more than "
           + std::to_string(depth_max) + " deep";
  if (ec == json::error::incomplete || offset >= text.size())
    return "this is not JSON: it ends too early";
  auto found = name_of_byte(text, offset);
  auto before = offset == 0 ? std::string_view::npos
                            : text.find_last_not_of(json_spaces, offset - 1);
  if ((text[offset] == ']' || text[offset] == '}')
      && before != std::string_view::npos && text[before] == ',')
    return "this is not JSON: a comma stands before " + found;
  if (ec != json::error::syntax && ec != json::error::extra_data)
    return "this is not JSON: " + ec.message() + " at " + found;
  return "this is not JSON: unexpected " + found;
}

/// Gives the text to the parser in pieces that have at most one value or key, so that
/// it is known where that begins.
class LocatedJsonReader {
public:
  LocatedJsonReader(std::string_view text, std::string_view file,
                    const LocatedJsonLimits& limits)
      : text_(text), file_(file), limits_(limits), places_(text),
        parser_(options(limits), limits.values) {
  }

  Result<LocatedJson> read() {
    for (std::size_t begin = 0; begin < text_.size();) {
      auto end = begin;
      auto& handler = parser_.handler();
      handler.place = places_.at(begin);
      if (json_separators.find(text_[begin]) == std::string_view::npos)
        end = end_of_token(text_, begin);
      handler.word = text_.substr(begin, end - begin);
      end = std::min(text_.find_first_not_of(json_separators, end),
                     text_.size());
      json::error_code ec;
      auto n = parser_.write_some(true, text_.data() + begin, end - begin, ec);
      if (!ec && n < end - begin)
        ec = json::error::extra_data;
      if (ec)
        return problem_at(begin + n, ec);
      begin = end;
    }
    json::error_code ec;
    parser_.write_some(false, "", 0, ec);
    if (ec) {
      auto last = text_.find_last_not_of(json_spaces);
      return problem_at(last == std::string_view::npos ? 0 : last + 1, ec);
    }
    return std::move(parser_.handler().result);
  }

private:
  static json::parse_options options(const LocatedJsonLimits& limits) {
    json::parse_options result;
    result.max_depth = limits.depth;
    return result;
  }

  Error problem_at(std::size_t offset, const json::error_code& ec) {
    const auto& handler = parser_.handler();
    if (!handler.problem.empty())
      return error_at(file_, handler.place.line, handler.problem);
    // The end may lie before spaces that the parser has read.
    auto place = PlaceCounter{text_}.at(offset);
    return error_at(file_, place.line,
                    syntax_problem(text_, offset, ec, limits_.depth)
                        + ", column " + std::to_string(place.column));
  }

  std::string_view text_;
  std::string_view file_;
  const LocatedJsonLimits& limits_;
  PlaceCounter places_;
  json::basic_parser<LocatedJsonHandler> parser_;
};

} // namespace

Error error_at(std::string_view file, int line, std::string_view what) {
  // Keys and names in it may be as long as the text.
  constexpr std::size_t characters_max = 1000;
  return Error{Errc::invalid_request,
               printable(file) + ':' + std::to_string(line) + ": "
                   + shortened(printable(what), characters_max)};
}

Result<LocatedJson> parse_located_json(std::string_view text,
                                       std::string_view file,
                                       const LocatedJsonLimits& limits) {
  if (text.size() > limits.bytes)
    return error_at(file, 1,
                    "it is larger than " + std::to_string(limits.bytes)
                        + " bytes");
  return LocatedJsonReader{text, file, limits}.read();
}

} // namespace stoker
