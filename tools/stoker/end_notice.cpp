#include "tools/stoker/end_notice.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>

#include <boost/json.hpp>

#include "messages/printable.hpp"
#include "messages/utf8_json.hpp"

namespace stoker {

namespace {

constexpr std::string_view plain_scheme = "http://";
constexpr std::string_view tls_scheme = "https://";

/// Nothing: it is not a number.
std::optional<int> number_in(const char* value) {
  if (value == nullptr)
    return std::nullopt;
  std::string_view text{value};
  int result = 0;
  const auto* end = text.data() + text.size();
  auto parsed = std::from_chars(text.data(), end, result);
  return parsed.ec == std::errc{} && parsed.ptr == end ? std::optional{result}
                                                       : std::nullopt;
}

bool is_target(std::string_view x) {
  return x.find_first_of(" #\\\"<>^`{|}") == std::string_view::npos
         && std::all_of(x.begin(), x.end(),
                        [](char c) { return c > 0x20 && c < 0x7f; });
}

template <class T>
boost::json::value or_null(const std::optional<T>& x) {
  return x ? boost::json::value(*x) : boost::json::value(nullptr);
}

} // namespace

Result<NoticeAddress> parse_notice_address(const std::string& url) {
  NoticeAddress result;
  std::string_view rest = url;
  result.server.is_encrypted = rest.starts_with(tls_scheme);
  auto known = result.server.is_encrypted || rest.starts_with(plain_scheme);
  if (known)
    rest.remove_prefix(rest.find("//") + 2);
  auto end = std::min(rest.find_first_of("/?"), rest.size());
  auto place = parse_host_port(rest.substr(0, end),
                               result.server.is_encrypted ? 443 : 80);
  auto target = std::string{rest.substr(end)};
  if (!known || !place || !is_target(target)
      || rest.substr(0, end).find('@') != std::string_view::npos)
    return invalid("a notice of an end is posted to http://HOST/PATH or "
                   "https://HOST/PATH; what was given is neither");
  result.server.place = *std::move(place);
  if (!target.starts_with('/'))
    target.insert(0, "/");
  result.target = std::move(target);
  return result;
}

std::optional<std::string> end_notice(const Variables& variables) {
  auto text_of = [&](const char* name) -> std::optional<std::string> {
    const auto* value = variables(name);
    return value != nullptr ? std::optional<std::string>{value} : std::nullopt;
  };
  auto id = text_of("STOKER_ENDED_ID");
  if (!id)
    return std::nullopt;
  auto name = text_of("STOKER_ENDED_NAME").value_or("");
  auto state = text_of("STOKER_ENDED_STATE").value_or("");
  auto message = text_of("STOKER_ENDED_MESSAGE");
  auto exit_status = number_in(variables("STOKER_ENDED_EXIT_STATUS"));
  auto text = (name.empty() ? "" : name + " ") + '(' + *id + ") has ended as "
              + state;
  if (exit_status)
    text += ", exit code " + std::to_string(*exit_status);
  if (message)
    text += ": " + *message;
  boost::json::object result{{"id", *id},
                             {"name", name},
                             {"state", state},
                             {"succeeded", state == "FINISHED"},
                             {"exit_status", or_null(exit_status)},
                             {"message", or_null(message)},
                             // For a line of a chat.
                             {"text", printable(text)}};
  return utf8_json(result);
}

} // namespace stoker
