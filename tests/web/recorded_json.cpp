#include "tests/web/recorded_json.hpp"

#include <fstream>
#include <iterator>
#include <set>

#include <boost/json/parse.hpp>

#include "tests/support/catch.hpp"

namespace stoker::test {

namespace {

using ShapeLines = std::set<std::string>;

std::string kind_name(const boost::json::value& x) {
  if (x.is_number())
    return "number";
  return std::string{boost::json::to_string(x.kind())};
}

void add_shape(ShapeLines& to, const std::string& path,
               const boost::json::value& x) {
  if (const auto* list = x.if_array()) {
    to.insert(path + ": array");
    for (const auto& element : *list)
      add_shape(to, path + "[]", element);
  } else if (const auto* object = x.if_object()) {
    to.insert(path + ": object");
    auto has_any_names = path.find("resources") != std::string::npos
                         && object->find("name") == object->end();
    for (const auto& [name, value] : *object)
      add_shape(to, path + '.' + (has_any_names ? "*" : std::string{name}),
                value);
  } else {
    to.insert(path + ": " + kind_name(x));
  }
}

} // namespace

boost::json::object recorded_json(const std::string& version) {
  std::ifstream in{std::string{STOKER_TEST_DATA} + "/recorded/" + version
                   + ".json"};
  std::string text{std::istreambuf_iterator<char>{in}, {}};
  REQUIRE_FALSE(text.empty());
  return boost::json::parse(text).as_object();
}

std::string shape(const boost::json::value& x) {
  ShapeLines lines;
  add_shape(lines, "", x);
  std::string result;
  for (const auto& line : lines)
    result += line + '\n';
  return result;
}

} // namespace stoker::test
