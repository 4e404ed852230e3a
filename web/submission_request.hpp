#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "messages/descriptions.hpp"
#include "messages/result.hpp"

namespace stoker {

/// What a submitted driver of Spark's has to know of its master.
struct SubmissionPlace {
  /// Where Spark's programs find it, as "spark://127.0.0.1:7077".
  std::string spark_url;

  /// Where the request came to: clients give this port for that of `spark_url`, too.
  std::uint16_t rest_port = 0;

  /// Of the Spark that a driver runs with whose client gave none.
  std::string default_version;
};

/// A driver that somebody has submitted.
struct SubmittedDriver {
  /// But for its user.
  DriverDescription description;

  /// What nobody knows of the request.
  std::vector<std::string> unknown_fields;
};

/// Reads a CreateSubmissionRequest, as Spark's clients send it to the REST port of its
/// master, and describes the driver that it asks for as Spark's master would
/// (org.apache.spark.deploy.rest.StandaloneSubmitRequestServlet). In place of
/// `{{USER_JAR}}` it has the path of the jar, which is the same on each worker: jars are not
/// fetched. Fails with `Errc::invalid_request`, and one line that says why.
/// @param body JSON of others
Result<SubmittedDriver> read_submission(std::string_view body,
                                        const SubmissionPlace& place);

/// Splits options as a shell does: at white space, but for what is in single or double
/// quotes, or follows a backslash outside of single quotes
/// (org.apache.spark.util.Utils.splitCommandString).
std::vector<std::string> split_options(std::string_view text);

} // namespace stoker
