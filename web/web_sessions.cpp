#include "web/web_sessions.hpp"

#include <algorithm>
#include <utility>

namespace stoker {

void WebSessions::add(Entries& to, std::string hash, Entry entry,
                      Instant now) const {
  std::erase_if(to, [&](const auto& x) { return x.second.until <= now; });
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
  sessions_.erase(hash_of(key));
}

} // namespace stoker
