#include "web/web_sessions.hpp"

#include <algorithm>
#include <utility>

namespace stoker {

void WebSessions::end_streams(const Entry& x) {
  // Who has read all of an output is told so in another way.
  for (const auto& stream : x.streams)
    if (auto open = stream.lock())
      open->cut_off();
}

void WebSessions::forget_the_old(Entries& of, Instant now) {
  std::erase_if(of, [&](const auto& x) {
    if (x.second.until > now)
      return false;
    end_streams(x.second);
    return true;
  });
}

void WebSessions::forget_if(
    const std::function<bool(const WebUser&)>& is_meant) {
  for (auto* entries : {&links_, &sessions_})
    std::erase_if(*entries, [&](const auto& x) {
      if (!is_meant(x.second.user))
        return false;
      end_streams(x.second);
      return true;
    });
}

void WebSessions::forget_the_old(Instant now) {
  forget_the_old(links_, now);
  forget_the_old(sessions_, now);
}

void WebSessions::add(Entries& to, std::string hash, Entry entry,
                      Instant now) const {
  forget_the_old(to, now);
  if (to.size() >= limits_.all_max) {
    // Who makes many puts nobody out but himself.
    std::map<std::string, std::size_t> counts;
    for (const auto& [key, x] : to)
      ++counts[x.user.name];
    auto most = std::ranges::max_element(counts, {}, [](const auto& x) {
                  return x.second;
                })->first;
    auto oldest = to.end();
    for (auto i = to.begin(); i != to.end(); ++i)
      if (i->second.user.name == most
          && (oldest == to.end() || i->second.until < oldest->second.until))
        oldest = i;
    end_streams(oldest->second);
    to.erase(oldest);
  }
  to.insert_or_assign(std::move(hash), std::move(entry));
}

std::string WebSessions::add_link(const WebSecret& random, const WebUser& user,
                                  Instant now) {
  auto result = reveal(random);
  add(links_, hash_of(result), {user, {}, now + limits_.link_age_max}, now);
  return result;
}

std::optional<std::string> WebSessions::open(std::string_view token,
                                             const std::string& place,
                                             const WebSecret& random,
                                             Instant now) {
  auto link = links_.extract(hash_of(token));
  if (!link || link.mapped().until <= now)
    return std::nullopt;
  auto result = reveal(random);
  auto hash = hash_of(result);
  auto user = std::move(link.mapped().user);
  user.by = KnownBy::session;
  user.session = hash;
  add(sessions_, hash, {std::move(user), place, now + limits_.session_age_max},
      now);
  return result;
}

std::optional<WebUser> WebSessions::find(std::string_view key,
                                         const std::string& place,
                                         Instant now) const {
  auto found = sessions_.find(hash_of(key));
  if (found == sessions_.end() || found->second.until <= now
      || found->second.place != place)
    return std::nullopt;
  return found->second.user;
}

void WebSessions::close(std::string_view key) {
  auto found = sessions_.find(hash_of(key));
  if (found == sessions_.end())
    return;
  end_streams(found->second);
  sessions_.erase(found);
}

void WebSessions::add_stream(const std::string& session,
                             const std::shared_ptr<HttpStream>& stream) {
  auto found = sessions_.find(session);
  if (found == sessions_.end())
    return stream->cut_off();
  auto& streams = found->second.streams;
  std::erase_if(streams, [](const auto& x) {
    auto open = x.lock();
    return !open || open->is_closed();
  });
  streams.push_back(stream);
}

} // namespace stoker
