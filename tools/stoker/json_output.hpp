#pragma once

#include <ostream>
#include <string>
#include <string_view>

#include <boost/json/object.hpp>

#include "messages/json.hpp"

namespace stoker {

/// A line of JSON, whatever bytes somebody has put into a name.
std::string json_line(const boost::json::value& x);

/// The same, of a described message.
template <class T>
void print_json(std::ostream& out, const T& x) {
  out << json_line(to_json(x)) << std::flush;
}

/// Sets `data` to what a program wrote; and `data_base64`, if that is not UTF-8.
void set_data(boost::json::object& target, std::string_view data);

} // namespace stoker
