#pragma once

#include <string>

#include "spark/java_graph.hpp"

namespace stoker::spark {

/// Writes a thing, and all that it refers to, as a stream of its own. What `read_java`
/// has read becomes the same bytes again; a part of it becomes a stream that says the
/// same. What is written once is referred to after that.
/// @throws WireError for a graph that nobody can read: parts of a wrong kind, texts that
/// are too long, or more than a thousand things in each other.
void append_java(std::string& out, const JavaGraph& graph, NodeId root);

} // namespace stoker::spark
