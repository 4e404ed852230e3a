#pragma once

#include <string>
#include <vector>

#include <boost/json.hpp>

#include "spark/frame.hpp"

namespace stoker::spark::test {

/// A frame that daemons of Spark have sent, and what is in it.
struct RecordedFrame {
  std::string version;
  std::string file;
  std::string bytes;

  /// "kind", "class", "class_ids", "fields", and what is in front of the content.
  boost::json::object expected;
};

/// All of them.
const std::vector<RecordedFrame>& recorded_frames();

/// The first one of a version whose class ends so.
const RecordedFrame& recorded(const std::string& version,
                              const std::string& class_end);

/// @throws std::runtime_error unless there is one frame, and no more
Frame frame_of(const RecordedFrame& from);

/// The object stream in it.
std::string_view content_of(const RecordedFrame& from);

} // namespace stoker::spark::test
