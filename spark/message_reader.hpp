#pragma once

#include "messages/result.hpp"
#include "spark/java_graph.hpp"
#include "spark/messages.hpp"

namespace stoker::spark {

/// What a graph says to a master. A class that is none of those of messages.hpp gives an
/// UnknownMessage, whatever is in it. Fails with `Errc::corrupt` for one of them with
/// fields that are missing or of another type, and for an enumerator that is not known.
Result<MessageToMaster> read_message_to_master(const JavaGraph& graph,
                                               NodeId root);

} // namespace stoker::spark
