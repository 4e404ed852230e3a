#include "network/greeting.hpp"

#include <algorithm>
#include <cassert>

#include "messages/fingerprint.hpp"

namespace stoker {

namespace {

constexpr std::string_view prefix = "STOKER 1 ";
constexpr std::string_view refused = "refused: ";

bool is_printable(char c) {
  return c >= ' ' && c <= '~';
}

bool is_word(std::string_view text) {
  constexpr std::size_t word_bytes_max = 64;
  return !text.empty() && text.size() <= word_bytes_max
         && std::all_of(text.begin(), text.end(),
                        [](char c) { return is_printable(c) && c != ' '; });
}

Error not_stoker() {
  return {Errc::invalid_request, "this is no Stoker master, or one of "
                                 "another version"};
}

} // namespace

Greeting own_greeting() {
  return {STOKER_VERSION, message_fingerprint()};
}

std::string to_line(const Greeting& x) {
  assert(is_word(x.version) && is_word(x.messages));
  return std::string{prefix} + x.version + ' ' + x.messages + '\n';
}

std::string refusal_line(std::string_view why) {
  auto result = std::string{prefix} + std::string{refused};
  for (auto c : why)
    if (is_printable(c) && result.size() + 1 < greeting_bytes_max)
      result += c;
  return result + '\n';
}

Result<Greeting> parse_greeting(std::string_view line) {
  if (line.size() >= greeting_bytes_max || !line.starts_with(prefix)
      || !std::all_of(line.begin(), line.end(), is_printable))
    return not_stoker();
  line.remove_prefix(prefix.size());
  if (line.starts_with(refused)) {
    line.remove_prefix(refused.size());
    return Error{Errc::refused, std::string{line}};
  }
  auto blank = line.find(' ');
  if (blank == std::string_view::npos)
    return not_stoker();
  auto version = line.substr(0, blank);
  auto messages = line.substr(blank + 1);
  // Later versions may add words.
  messages = messages.substr(0, messages.find(' '));
  if (!is_word(version) || !is_word(messages))
    return not_stoker();
  return Greeting{std::string{version}, std::string{messages}};
}

Status check_greeting(const Greeting& own, const Greeting& other,
                      const std::string& who) {
  if (own.messages == other.messages)
    return {};
  if (own.version != other.version)
    return Error{Errc::invalid_request,
                 who + " is Stoker " + other.version + ", and this is "
                     + own.version + ": install the same version on both"};
  return Error{Errc::invalid_request,
               who + " is another build of Stoker " + own.version
                   + ", whose messages differ: install the same build on both"};
}

} // namespace stoker
