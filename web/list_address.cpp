#include "web/list_address.hpp"

#include <cstdint>

#include "messages/printable.hpp"
#include "pages/cells.hpp"
#include "scheduling/common/units.hpp"
#include "web/url.hpp"

namespace stoker {

std::size_t page_number(std::string_view target) {
  auto value = query_value(target, "page");
  auto result = value ? parse_count(*value) : std::nullopt;
  return result && *result > 0 ? static_cast<std::size_t>(*result) : 1;
}

ListAddress parse_list_address(std::string_view target) {
  return {query_value(target, "state") == "ended",
          page_number(target),
          {query_value(target, "user").value_or(""),
           query_value(target, "name").value_or("")}};
}

std::string href_of_list(const std::string& path, const ListAddress& x) {
  auto result = path;
  auto add = [&](const char* name, const std::string& value) {
    if (!value.empty())
      result += (result == path ? "?" : "&") + std::string{name} + '='
                + pages::url_encoded(value);
  };
  add("state", x.ended ? "ended" : "");
  add("user", x.filter.user);
  add("name", x.filter.name);
  return result;
}

std::string none_found(const ListFilter& x) {
  std::string result{"None of them"};
  if (!x.user.empty())
    result += " is of user " + x.user;
  if (!x.name.empty())
    result += (x.user.empty() ? "" : " and") + std::string{" has '"} + x.name
              + "' in its name";
  return printable(result + '.');
}

pages::Form form_of_list(const std::string& path, const ListAddress& x) {
  pages::Form result{path,
                     "Show",
                     {{"Only those",
                       {{"user", "Of the user", x.filter.user, "ann"},
                        {"name", "Whose name contains", x.filter.name, ""}}}}};
  if (x.ended)
    result.kept.emplace_back("state", "ended");
  return result;
}

} // namespace stoker
