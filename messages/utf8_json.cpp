#include "messages/utf8_json.hpp"

#include <boost/json/serialize.hpp>

#include "messages/printable.hpp"

namespace stoker {

std::string utf8_json(const boost::json::value& x) {
  return as_utf8(boost::json::serialize(x));
}

} // namespace stoker
