#pragma once

#include <string>
#include <string_view>

#include <boost/json/object.hpp>

#include "messages/instant.hpp"
#include "web/cluster_copy.hpp"

namespace stoker {

/// The state of a cluster as the page /json of Spark's master tells it, with the same names
/// and types (org.apache.spark.deploy.JsonProtocol); times are milliseconds since 1970. A
/// master in standby, and one that was never heard of, has nothing but its status.
/// @param url where Spark's programs find the master
boost::json::object spark_state(const ClusterCopy& cluster,
                                const std::string& url, Instant now);

/// What /json/FIELD tells of it: one field as an object that has it alone, or
/// "clusterutilization" (Spark 4). Anything else, as "master": all of it (Spark 3).
boost::json::object spark_state_part(boost::json::object state,
                                     std::string_view field);

/// Whether there is such a part; "" is all of it.
bool is_spark_state_part(std::string_view field);

/// As Java writes a time: "Wed Nov 25 19:12:16 UTC 2026".
std::string java_date(Instant x);

} // namespace stoker
