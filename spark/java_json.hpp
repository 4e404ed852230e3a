#pragma once

#include <boost/json/value.hpp>

#include "spark/java_graph.hpp"

namespace stoker::spark {

/// A thing as people read it:
///
///     a text, a number, also in a box        as such
///     a constant of an enum                  its name
///     a class literal                        "class NAME"
///     scala.None$                            null
///     scala.Some                             [VALUE]
///     sequences, sets, arrays, tuples        [VALUE, ...]; an array of bytes in hex
///     maps                                   {KEY: VALUE, ...}; a key that is no text
///                                            is the text of its JSON
///     a value of a scala.Enumeration         {"enum": CLASS, "id": ORDINAL}
///     a singleton of Scala                   {"module": CLASS}
///     all other objects                      {"@": CLASS, FIELD: VALUE, ...}
///     what a class has written itself        in "@ann:CLASS" of the object, raw data
///                                            as {"block": HEX}
///
/// Fields stand in the order of the stream. A thing within itself is "<cycle>", one that
/// stands in 60 others "...".
/// @throws WireError for a graph that is far larger as a text than as a graph
boost::json::value java_json(const JavaGraph& graph, NodeId root);

} // namespace stoker::spark
