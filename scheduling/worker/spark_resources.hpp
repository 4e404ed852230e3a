#pragma once

#include <string>

#include "messages/named_resources.hpp"

namespace stoker {

// How a program of Spark's hears which named resources are its own: in a file that its
// worker writes into its directory, as Spark's workers do
// (org.apache.spark.deploy.StandaloneResourceUtils).

/// The file's name.
inline constexpr const char* spark_resources_file = "spark-resources.json";

/// What is in it: a list of objects, one for each resource.
/// @param component whose resources these are, as "spark.executor"
std::string spark_resources_text(const std::string& component,
                                 const ResourceAddresses& resources);

} // namespace stoker
