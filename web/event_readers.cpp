#include "web/event_readers.hpp"

#include <algorithm>
#include <utility>

#include <boost/json/object.hpp>

#include "messages/utf8_json.hpp"

namespace stoker {

namespace {

/// What a slow reader may have before himself.
constexpr std::size_t bytes_ahead_max = 256 * 1024;

std::string text_of(const LoggedEvent& x) {
  boost::json::object data{
      {"number", x.number},     {"at_ms", to_ms(x.at)},
      {"event", x.line.event},  {"fields", x.line.fields},
      {"decision", x.decision}, {"warning", x.line.is_warning}};
  return "id: " + std::to_string(x.number)
         + "\nevent: happened\ndata: " + utf8_json(data) + "\n\n";
}

std::string missed_after(std::uint64_t number) {
  boost::json::object data{{"after", number}};
  return "event: missed\ndata: " + utf8_json(data) + "\n\n";
}

/// What a reader is told who knows events up to `after` when `next` is the number of what
/// follows. Empty: there is nothing between.
std::string missed_between(std::uint64_t after, std::uint64_t next) {
  return after == 0 || next == after + 1 ? std::string{} : missed_after(after);
}

} // namespace

void EventReaders::add(std::shared_ptr<HttpStream> stream, std::uint64_t after,
                       std::string of) {
  readers_.push_back({std::move(stream), after, std::move(of)});
}

void EventReaders::Reader::show(const EventLog& log) {
  // A log that has not begun knows of no gap.
  if (stream->unsent() > 0 || !log.has_begun())
    return;
  std::string text;
  if (after > log.last_number()) {
    // The clock was put back before this master began.
    text = missed_after(after);
    after = 0;
  }
  auto next
      = std::ranges::upper_bound(log.events(), after, {}, &LoggedEvent::number);
  for (; next != log.events().end() && text.size() < bytes_ahead_max; ++next) {
    text += missed_between(after, next->number);
    after = next->number;
    if (of.empty() || names(*next, of))
      text += text_of(*next);
  }
  if (next == log.events().end()) {
    // What the log began after is known as soon as it has begun.
    text += missed_between(after, log.last_number() + 1);
    after = log.last_number();
  }
  if (!text.empty())
    stream->write(std::make_shared<const std::string>(std::move(text)));
}

void EventReaders::show(const EventLog& log) {
  std::erase_if(readers_,
                [](const Reader& x) { return x.stream->is_closed(); });
  for (auto& x : readers_)
    x.show(log);
}

void EventReaders::show_to(const HttpStream& stream, const EventLog& log) {
  for (auto& x : readers_)
    if (x.stream.get() == &stream)
      x.show(log);
}

void EventReaders::end_all() {
  for (auto& x : std::exchange(readers_, {}))
    x.stream->finish();
}

void EventReaders::keep_alive() {
  static const auto nothing = std::make_shared<const std::string>(":\n\n");
  for (auto& x : readers_)
    if (x.stream->unsent() == 0)
      x.stream->write(nothing);
}

} // namespace stoker
