// JSON for others: messages/utf8_json.hpp.

#include "messages/utf8_json.hpp"

#include <boost/json/object.hpp>

#include "tests/support/catch.hpp"

using namespace stoker;

TEST_CASE("JSON for others is UTF-8, whatever stands in names and values") {
  CHECK(utf8_json(boost::json::object{{"name", "caf\u00e9"}})
        == "{\"name\":\"caf\u00e9\"}");
  CHECK(utf8_json(boost::json::object{{"a\xff", "\xe2\x82"}})
        == "{\"a\ufffd\":\"\ufffd\ufffd\"}");
}
