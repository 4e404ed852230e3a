#include "spark/version_tables.hpp"

#include <algorithm>
#include <boost/json.hpp>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "spark/embedded_tables.hpp"

namespace stoker::spark {

namespace {

namespace json = boost::json;

std::runtime_error malformed(const std::string& what) {
  return std::runtime_error{"a table of a Spark version has " + what};
}

std::string text_in(const json::value& x) {
  if (const auto* text = x.if_string())
    return std::string{std::string_view{*text}};
  throw malformed("no text where one belongs");
}

const json::value& member(const json::object& x, std::string_view key) {
  if (const auto* found = x.if_contains(key))
    return *found;
  throw malformed("no member \"" + std::string{key} + '"');
}

const json::object& object_in(const json::value& x) {
  if (const auto* object = x.if_object())
    return *object;
  throw malformed("no object where one belongs");
}

const json::array& array_in(const json::value& x) {
  if (const auto* array = x.if_array())
    return *array;
  throw malformed("no list where one belongs");
}

template <class T>
T number_in(std::string_view text) {
  T result{};
  auto end = text.data() + text.size();
  auto [rest, error] = std::from_chars(text.data(), end, result);
  if (error != std::errc{} || rest != end)
    throw malformed("no number where one belongs");
  return result;
}

FieldLayout field_in(const json::value& x) {
  const auto& parts = array_in(x);
  if (parts.size() < 2)
    throw malformed("a field without a type or name");
  auto type = text_in(parts[0]);
  auto is_reference = type == "L" || type == "[";
  if (type.size() != 1 || (type.find_first_of("BCDFIJSZL[") != 0)
      || parts.size() != (is_reference ? 3 : 2))
    throw malformed("a field of no type that Java has");
  return {type[0], text_in(parts[1]),
          is_reference ? text_in(parts[2]) : std::string{}};
}

ClassLayout class_in(std::string name, const json::object& x) {
  ClassLayout result;
  result.name = std::move(name);
  result.id = number_in<std::int64_t>(text_in(member(x, "id")));
  result.flags = json::value_to<std::uint8_t>(member(x, "flags"));
  for (const auto& field : array_in(member(x, "fields")))
    result.fields.push_back(field_in(field));
  if (const auto* super = x.if_contains("super"))
    result.super = text_in(*super);
  return result;
}

/// The numbers of a version, and what follows a dash.
std::pair<std::vector<unsigned>, std::string_view>
parts_of(std::string_view version) {
  auto dash = std::min(version.find('-'), version.size());
  std::pair<std::vector<unsigned>, std::string_view> result;
  result.second = version.substr(dash);
  auto numbers = version.substr(0, dash);
  while (!numbers.empty()) {
    unsigned number = 0;
    auto end = numbers.data() + numbers.size();
    auto rest = std::from_chars(numbers.data(), end, number).ptr;
    result.first.push_back(number);
    auto dot
        = numbers.find('.', static_cast<std::size_t>(rest - numbers.data()));
    numbers = dot == std::string_view::npos ? "" : numbers.substr(dot + 1);
  }
  return result;
}

bool is_known(const std::vector<VersionTable>& tables, std::string_view name) {
  return std::any_of(tables.begin(), tables.end(),
                     [&](const auto& table) { return table.find(name); });
}

std::ptrdiff_t count_agreeing(const VersionTable& table,
                              const std::vector<ClassId>& ids) {
  return std::count_if(ids.begin(), ids.end(), [&](const ClassId& x) {
    const auto* layout = table.find(x.name);
    return layout && layout->id == x.id;
  });
}

std::vector<VersionTable> parse_embedded() {
  std::vector<VersionTable> result;
  for (auto text : embedded_tables())
    result.push_back(VersionTable::parse(text));
  std::sort(result.begin(), result.end(), [](const auto& a, const auto& b) {
    return is_older_version(a.version(), b.version());
  });
  return result;
}

} // namespace

VersionTable VersionTable::parse(std::string_view text) {
  auto root = json::parse({text.data(), text.size()});
  const auto& table = object_in(root);
  VersionTable result;
  result.version_ = text_in(member(table, "spark"));
  result.scala_ = text_in(member(table, "scala"));
  if (const auto* options = table.if_contains("java_options"))
    for (const auto& option : array_in(*options))
      result.java_options_.push_back(text_in(option));
  for (const auto& entry : object_in(member(table, "classes"))) {
    std::string name{std::string_view{entry.key()}};
    auto layout = class_in(name, object_in(entry.value()));
    result.classes_.emplace(std::move(name), std::move(layout));
  }
  for (const auto& [name, layout] : result.classes_)
    if (!layout.super.empty() && !result.find(layout.super))
      throw malformed(name + " without its super class");
  return result;
}

const ClassLayout* VersionTable::find(std::string_view class_name) const {
  auto i = classes_.find(class_name);
  return i == classes_.end() ? nullptr : &i->second;
}

const std::vector<VersionTable>& version_tables() {
  static const auto tables = parse_embedded();
  return tables;
}

bool is_older_version(std::string_view a, std::string_view b) {
  auto [a_numbers, a_rest] = parts_of(a);
  auto [b_numbers, b_rest] = parts_of(b);
  if (a_numbers != b_numbers)
    return a_numbers < b_numbers;
  if (a_rest.empty() || b_rest.empty())
    return !a_rest.empty() && b_rest.empty();
  return a_rest < b_rest;
}

const VersionTable& table_of_version(std::string_view version,
                                     const std::vector<VersionTable>& tables) {
  auto found
      = std::find_if(tables.rbegin(), tables.rend(), [&](const auto& table) {
          return !is_older_version(version, table.version());
        });
  return found == tables.rend() ? tables.front() : *found;
}

TableChoice choose_table(std::span<const ClassId> class_ids,
                         const std::vector<VersionTable>& tables) {
  std::vector<ClassId> telling;
  std::copy_if(
      class_ids.begin(), class_ids.end(), std::back_inserter(telling),
      [&](const ClassId& x) { return x.id != 0 && is_known(tables, x.name); });
  TableChoice result;
  const VersionTable* nearest = nullptr;
  std::ptrdiff_t most = -1;
  for (auto table = tables.rbegin(); table != tables.rend(); ++table) {
    auto agreeing = count_agreeing(*table, telling);
    if (agreeing == std::ssize(telling))
      result.tables.push_back(&*table);
    if (agreeing > most) {
      most = agreeing;
      nearest = &*table;
    }
  }
  if (result.tables.empty() && nearest) {
    result.tables = {nearest};
    result.is_guess = true;
  }
  return result;
}

std::vector<const VersionTable*>
narrow_by_options(const std::vector<const VersionTable*>& tables,
                  const std::vector<std::string>& java_options) {
  std::set<std::string_view> known;
  for (const auto* table : tables)
    known.insert(table->java_options().begin(), table->java_options().end());
  std::set<std::string_view> given;
  for (std::string_view x : java_options)
    if (known.contains(x))
      given.insert(x);
  std::vector<const VersionTable*> result;
  for (const auto* table : tables)
    if (std::set<std::string_view>{table->java_options().begin(),
                                   table->java_options().end()}
        == given)
      result.push_back(table);
  return result.empty() ? tables : result;
}

} // namespace stoker::spark
