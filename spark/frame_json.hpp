#pragma once

#include <boost/json/value.hpp>

#include "messages/result.hpp"
#include "spark/frame.hpp"

namespace stoker::spark {

/// A frame with all that is in it, as people read it:
///
///     {"frame_type": "RpcRequest", "request_id": ..., "sender_address": [HOST, PORT],
///      "receiver_address": [HOST, PORT], "endpoint": "Master",
///      "class": CLASS, "suids": {CLASS: SERIALVERSIONUID, ...}, "fields": ...}
///
/// `fields` is what java_json.hpp says; addresses may be null. One-way messages have no
/// request, answers neither addresses nor endpoint; of a failure there is only the
/// request and "error", its text. Fails with `Errc::corrupt`.
Result<boost::json::value> frame_json(const Frame& frame);

} // namespace stoker::spark
