#include "web/live_pages.hpp"

#include <set>
#include <utility>

#include <boost/json/object.hpp>

#include "messages/printable.hpp"
#include "messages/utf8_json.hpp"

namespace stoker {

namespace {

namespace json = boost::json;

/// The place of what is told where there is no section.
const std::string no_section;

/// JSON has no line ends, so that it is one line of data.
HttpStream::Piece event(const char* name, const json::object& data) {
  return std::make_shared<const std::string>(
      std::string{"event: "} + name + "\ndata: " + utf8_json(data) + "\n\n");
}

void send(LivePages::Topic& topic, const std::set<std::string>& changed) {
  for (auto& reader : topic.readers) {
    if (reader.stream->unsent() > 0) {
      reader.is_behind = reader.is_behind || !changed.empty();
      continue;
    }
    for (const auto& [id, piece] : topic.sections)
      if (reader.is_behind || changed.contains(id))
        reader.stream->write(piece);
    reader.is_behind = false;
  }
}

} // namespace

void LivePages::add(const std::string& target, const PageAddress& address,
                    std::shared_ptr<HttpStream> reader, LiveReader who) {
  auto& topic = topics_[target];
  topic.address = address;
  topic.readers.push_back({std::move(reader), std::move(who)});
}

void LivePages::show(const std::string& target, const pages::Page& page) {
  auto found = topics_.find(target);
  if (found == topics_.end())
    return;
  auto& topic = found->second;
  topic.sections.erase(no_section);
  std::set<std::string> changed;
  for (const auto& x : page.sections) {
    if (!x.is_live)
      continue;
    auto piece = event("section", {{"id", x.id}, {"html", x.html}});
    auto& last = topic.sections[x.id];
    if (last && *last == *piece)
      continue;
    last = std::move(piece);
    changed.insert(x.id);
  }
  send(topic, changed);
}

void LivePages::show_missing(const std::string& target,
                             const std::string& why) {
  auto found = topics_.find(target);
  if (found == topics_.end())
    return;
  auto& topic = found->second;
  auto is_new = !topic.sections.contains(no_section);
  if (is_new) {
    // When it comes back, all of it is sent anew.
    topic.sections.clear();
    topic.sections[no_section] = event("missing", {{"why", why}});
  }
  send(topic, is_new ? std::set{no_section} : std::set<std::string>{});
}

void LivePages::show_status(std::optional<RecoveryState> status,
                            std::int64_t now_ms) {
  json::object data{{"status", nullptr}, {"now", now_ms}};
  if (status)
    data["status"] = to_string(*status);
  // Whoever reads in many windows shares it.
  std::map<LiveReader, HttpStream::Piece> pieces;
  auto piece_for = [&](const LiveReader& who) {
    auto& piece = pieces[who];
    if (!piece) {
      data["reader"] = printable(who.name);
      data["has_session"] = who.has_session;
      piece = event("status", data);
    }
    return piece;
  };
  for (auto& [target, topic] : topics_)
    for (auto& reader : topic.readers)
      if (reader.stream->unsent() == 0)
        reader.stream->write(piece_for(reader.who));
}

void LivePages::forget_the_gone() {
  for (auto& [target, topic] : topics_)
    std::erase_if(topic.readers,
                  [](const auto& x) { return x.stream->is_closed(); });
  std::erase_if(topics_,
                [](const auto& x) { return x.second.readers.empty(); });
}

} // namespace stoker
