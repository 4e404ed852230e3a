#pragma once

// Reads frames of Spark's wire protocol, so that anybody can compare what Stoker sees in
// them with what Spark does.

#include <boost/json/value.hpp>

namespace stoker::conformance {

/// What is in a frame:
///
///     {"id": ..., "hex": "00000000000000bf03..."}
///
/// gives {"id", "message"}, whose form is that of spark/frame_json.hpp.
/// @throws std::exception when the bytes are not exactly one frame that can be read
boost::json::value decoded_frame(const boost::json::value& original);

} // namespace stoker::conformance
