#include "storage/log_header.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "messages/json_text.hpp"
#include "storage/log_lines.hpp"

namespace stoker {

namespace {

struct KnownLog {
  LogKind kind;

  /// The member of the header that has the version.
  std::string_view name;
  int version;
  const char* description;
};

constexpr std::array known_logs{KnownLog{LogKind::master, "stoker_message_log",
                                         message_log_version, "a master's log"},
                                KnownLog{LogKind::task_scheduler,
                                         "stoker_task_log", task_log_version,
                                         "a task scheduler's log"}};

const KnownLog& known(LogKind kind) {
  return known_logs[static_cast<std::size_t>(kind)];
}

/// "versions 1 to 3"
std::string versions_of(const KnownLog& x) {
  return x.version == 1 ? "version 1"
                        : "versions 1 to " + std::to_string(x.version);
}

} // namespace

bool begins_as_message_log(std::string_view text) {
  return std::any_of(
      known_logs.begin(), known_logs.end(), [&](const KnownLog& x) {
        return text.starts_with("{\"" + std::string{x.name} + "\":");
      });
}

int newest_version(LogKind kind) {
  return known(kind).version;
}

std::string describe(LogKind kind) {
  return known(kind).description;
}

std::string to_line(const LogFileHeader& header, std::string_view config) {
  std::string result = "{\"";
  result += known(header.kind).name;
  result += "\":";
  append_number(result, header.version);
  result += ",\"series\":";
  append_json(result, header.series);
  result += ",\"segment\":";
  append_number(result, header.segment);
  result += ",\"first_step\":";
  append_number(result, header.first_step);
  result += ",\"config\":";
  result += config;
  return result += "}\n";
}

LogFileHeader parse_log_file_header(std::string_view line) {
  boost::json::error_code error;
  auto parsed = log_lines::parse(line, error);
  const auto* object = parsed.if_object();
  if (error || object == nullptr)
    throw std::runtime_error{"not a message log of Stoker"};
  LogFileHeader result;
  const boost::json::value* version = nullptr;
  for (const auto& x : known_logs)
    if (version = object->if_contains(x.name); version != nullptr) {
      result.kind = x.kind;
      break;
    }
  if (version == nullptr)
    throw std::runtime_error{"not a message log of Stoker"};
  const auto& newest = known(result.kind);
  const auto* number = version->if_int64();
  if (number == nullptr || *number < 1 || *number > newest.version)
    throw std::runtime_error{
        (result.kind == LogKind::master ? "a message log" : newest.description)
        + (" of version " + boost::json::serialize(*version))
        + "; this program reads " + versions_of(newest)
        + ": use the 'stoker' that wrote it, or a newer one"};
  result.version = static_cast<int>(*number);
  log_lines::read_member(*object, "series", result.series);
  log_lines::read_member(*object, "segment", result.segment);
  log_lines::read_member(*object, "first_step", result.first_step);
  if (result.first_step == 0 || result.segment == 0)
    throw std::runtime_error{"a message log whose numbers begin with 0"};
  return result;
}

namespace log_lines {

boost::json::value parse(std::string_view line,
                         boost::json::error_code& error) {
  boost::json::parse_options options;
  // Names come from users, in whatever bytes.
  options.allow_invalid_utf8 = true;
  return boost::json::parse({line.data(), line.size()}, error, {}, options);
}

boost::json::value parse(std::string_view line) {
  boost::json::error_code error;
  auto result = parse(line, error);
  if (error)
    throw std::runtime_error{error.message()};
  return result;
}

void append_effect(std::string& out, std::string_view line) {
  if (out.back() != '[')
    out += ',';
  // Few have anything to escape.
  if (json_detail::has_special(line))
    append_json_string(out, line);
  else
    ((out += '"').append(line)) += '"';
}

} // namespace log_lines

} // namespace stoker
