#include "web/repeated_field.hpp"

#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include <boost/json/basic_parser_impl.hpp>
#include <boost/json/parse_options.hpp>

namespace stoker {

namespace {

namespace json = boost::json;
using json::error_code;

/// Notes the fields of the objects that are open. A value has only one of two of one name.
struct FieldNotes {
  static constexpr std::size_t max_object_size = SIZE_MAX;
  static constexpr std::size_t max_array_size = SIZE_MAX;
  static constexpr std::size_t max_key_size = SIZE_MAX;
  static constexpr std::size_t max_string_size = SIZE_MAX;

  struct Object {
    std::set<std::string> names;

    /// Of the field that is read.
    std::string name;
  };
  std::vector<Object> open;
  std::string key;
  std::string found;

  [[nodiscard]] std::string path() const {
    std::string result;
    for (const auto& x : open)
      result += (result.empty() ? "" : ".") + x.name;
    return result;
  }

  bool on_object_begin(error_code&) {
    open.emplace_back();
    return true;
  }
  bool on_object_end(std::size_t, error_code&) {
    open.pop_back();
    return true;
  }
  bool on_key_part(json::string_view x, std::size_t, error_code&) {
    key.append(x.data(), x.size());
    return true;
  }
  bool on_key(json::string_view x, std::size_t, error_code&) {
    key.append(x.data(), x.size());
    auto& object = open.back();
    object.name = std::exchange(key, {});
    if (!object.names.insert(object.name).second && found.empty())
      found = path();
    return true;
  }

  // -- what is in them ----------------------------------------------------------

  static bool on_document_begin(error_code&) {
    return true;
  }
  static bool on_document_end(error_code&) {
    return true;
  }
  static bool on_array_begin(error_code&) {
    return true;
  }
  static bool on_array_end(std::size_t, error_code&) {
    return true;
  }
  static bool on_string_part(json::string_view, std::size_t, error_code&) {
    return true;
  }
  static bool on_string(json::string_view, std::size_t, error_code&) {
    return true;
  }
  static bool on_number_part(json::string_view, error_code&) {
    return true;
  }
  static bool on_int64(std::int64_t, json::string_view, error_code&) {
    return true;
  }
  static bool on_uint64(std::uint64_t, json::string_view, error_code&) {
    return true;
  }
  static bool on_double(double, json::string_view, error_code&) {
    return true;
  }
  static bool on_bool(bool, error_code&) {
    return true;
  }
  static bool on_null(error_code&) {
    return true;
  }
  static bool on_comment_part(json::string_view, error_code&) {
    return true;
  }
  static bool on_comment(json::string_view, error_code&) {
    return true;
  }
};

} // namespace

std::string repeated_field(std::string_view text, std::size_t depth_max) {
  json::parse_options options;
  options.max_depth = depth_max;
  json::basic_parser<FieldNotes> parser{options};
  error_code error;
  parser.write_some(false, text.data(), text.size(), error);
  return std::move(parser.handler().found);
}

} // namespace stoker
