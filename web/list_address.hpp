#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "pages/form.hpp"

namespace stoker {

/// Those of a list that somebody looks for.
struct ListFilter {
  /// Whose they are; empty: anybody's.
  std::string user;

  /// What their names contain.
  std::string name;

  [[nodiscard]] bool takes_all() const {
    return user.empty() && name.empty();
  }
};

/// Which part of all applications, or of all drivers, a page shows.
struct ListAddress {
  /// Those that have ended, the last one first; else those that have not.
  bool ended = false;
  std::size_t page = 1;
  ListFilter filter;
};

/// Reads "/applications?state=ended&user=ann&page=2".
ListAddress parse_list_address(std::string_view target);

/// The page that an address asks for, as "/workers?page=2" does; 1: it asks for none.
std::size_t page_number(std::string_view target);

/// Where such a list begins, as "/applications?state=ended&user=ann".
/// @param path as "/applications"
std::string href_of_list(const std::string& path, const ListAddress& x);

/// What is said where there are none of those that somebody looks for.
/// @pre the filter does not take all
std::string none_found(const ListFilter& x);

/// What people fill in to look for some of it.
pages::Form form_of_list(const std::string& path, const ListAddress& x);

} // namespace stoker
