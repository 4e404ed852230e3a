#include "web/submission_answers.hpp"

#include <map>
#include <string>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "messages/utf8_json.hpp"

namespace stoker {

namespace {

namespace json = boost::json;

/// Spark's own, which has no words.
constexpr unsigned unknown_version_status = 468;

constexpr const char* ways = "Submissions are at /v1/submissions/...";

std::string value_text(const json::value& x) {
  const auto* list = x.if_array();
  if (list == nullptr)
    return utf8_json(x);
  std::string result;
  for (const auto& item : *list)
    result += (result.empty() ? "[ " : ", ") + utf8_json(item);
  return result.empty() ? "[ ]" : result + " ]";
}

/// One field in a line and blanks around its colon, as Spark's server writes: scripts and the
/// operator of Airflow read its answers line by line.
HttpResponse written(const json::object& x, unsigned status = 200) {
  std::map<std::string, std::string> lines;
  for (const auto& [key, value] : x)
    lines[utf8_json(key)] = value_text(value);
  std::string text;
  for (const auto& [key, value] : lines) {
    text += text.empty() ? "{\n  " : ",\n  ";
    text += key;
    text += " : ";
    text += value;
  }
  return http_json(text + "\n}", status);
}

json::object result_text(const char* action, const std::string& version,
                         bool success, const std::string& message) {
  return {{"action", action},
          {"serverSparkVersion", version},
          {"success", success},
          {"message", message}};
}

} // namespace

HttpResponse SubmissionAnswers::created(
    const SubmitDriverResponse& x,
    const std::vector<std::string>& unknown_fields) const {
  auto text
      = result_text("CreateSubmissionResponse", version_, x.success, x.message);
  if (x.driver_id) {
    text["submissionId"] = x.driver_id->value;
    if (x.message.empty())
      text["message"] = "driver " + x.driver_id->value + " is submitted";
  }
  if (!unknown_fields.empty())
    text["unknownFields"]
        = json::array(unknown_fields.begin(), unknown_fields.end());
  return written(text);
}

HttpResponse SubmissionAnswers::killed(const KillDriverResponse& x) const {
  auto text
      = result_text("KillSubmissionResponse", version_, x.success, x.message);
  text["submissionId"] = x.driver_id.value;
  return written(text);
}

HttpResponse SubmissionAnswers::status(const std::string& id,
                                       const DriverStatusResponse& x) const {
  json::object text{{"action", "SubmissionStatusResponse"},
                    {"serverSparkVersion", version_},
                    {"submissionId", id},
                    {"success", x.found}};
  if (x.state)
    text["driverState"] = to_string(*x.state);
  if (x.worker_id)
    text["workerId"] = x.worker_id->value;
  if (x.worker_host_port)
    text["workerHostPort"] = *x.worker_host_port;
  // Spark's words in front of what its cluster could not do.
  if (x.exception)
    text["message"] = x.state == DriverState::ERROR
                          ? "Exception from the cluster:\n" + *x.exception
                          : *x.exception;
  return written(text);
}

HttpResponse SubmissionAnswers::killed_all(const std::string& message) const {
  return written(
      result_text("KillAllSubmissionResponse", version_, true, message));
}

HttpResponse SubmissionAnswers::cleared(bool success,
                                        const std::string& message) const {
  return written(result_text("ClearResponse", version_, success, message));
}

HttpResponse SubmissionAnswers::ready(bool success,
                                      const std::string& message) const {
  return written(result_text("ReadyzResponse", version_, success, message),
                 success ? 200 : 503);
}

HttpResponse SubmissionAnswers::error(unsigned status,
                                      const std::string& message) const {
  return written({{"action", "ErrorResponse"},
                  {"serverSparkVersion", version_},
                  {"message", message}},
                 status);
}

HttpResponse
SubmissionAnswers::unknown_version(const std::string& version) const {
  auto result = written({{"action", "ErrorResponse"},
                         {"serverSparkVersion", version_},
                         {"highestProtocolVersion", "v1"},
                         {"message", "this is not version v1 of the protocol: "
                                         + version + ". " + ways}},
                        unknown_version_status);
  result.reason = std::to_string(unknown_version_status);
  return result;
}

} // namespace stoker
