#pragma once

#include <ostream>
#include <string>
#include <vector>

#include <boost/json.hpp>

#include "storage/stored_view.hpp"

namespace stoker {

/// The tables that `stoker data show` knows by name.
const std::vector<std::string>& stored_tables();

/// Who leads and since when, then the table named, or all if it is empty. For
/// people: without what may be secret.
void print_stored(std::ostream& out, const StoredView& view,
                  const std::string& table);

/// All fields, but for the values of environment variables, which may be
/// secrets.
boost::json::object stored_to_json(const StoredView& view,
                                   const std::string& table);

} // namespace stoker
