#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "messages/instant.hpp"
#include "web/http_stream.hpp"
#include "web/web_secret.hpp"
#include "web/web_user.hpp"

namespace stoker {

/// How much of others a WebSessions keeps, and for how long.
struct WebSessionLimits {
  /// Links, and sessions, that are good at once: of more, the oldest of whoever has most
  /// goes.
  std::size_t all_max = 1000;

  Duration link_age_max = std::chrono::minutes{5};
  Duration session_age_max = std::chrono::hours{12};
};

/// Links that were made for somebody, and the sessions of those who have opened theirs. In
/// memory alone: a master that starts again knows none.
class WebSessions {
public:
  explicit WebSessions(WebSessionLimits limits = {}) : limits_(limits) {
  }

  [[nodiscard]] const WebSessionLimits& limits() const {
    return limits_;
  }

  /// Makes a link good, once: returns the token that it needs.
  std::string add_link(const WebSecret& random, const WebUser& user,
                       Instant now);

  /// Uses a link up. Returns the key of the session that begins. Nothing: the link is not
  /// known, was used already, or is too old.
  /// @param place where whoever opens it comes from: from elsewhere the key is good for
  /// nothing
  std::optional<std::string> open(std::string_view token,
                                  const std::string& place,
                                  const WebSecret& random, Instant now);

  /// Whose session it is. Nothing: it is none, or not any more.
  [[nodiscard]] std::optional<WebUser>
  find(std::string_view key, const std::string& place, Instant now) const;

  /// Ends a session, if it is one, and what is read in it.
  void close(std::string_view key);

  /// Ends this answer with the session in which somebody reads it: at once, if that is over.
  /// @param session as the user's `session`
  void add_stream(const std::string& session,
                  const std::shared_ptr<HttpStream>& stream);

  /// Forgets the links and sessions of users whom this is true of, and ends what is read in them.
  void forget_if(const std::function<bool(const WebUser&)>& is_meant);

  /// Forgets what is not good any more, and ends what is read in it.
  void forget_the_old(Instant now);

  [[nodiscard]] std::size_t links() const {
    return links_.size();
  }
  [[nodiscard]] std::size_t sessions() const {
    return sessions_.size();
  }

private:
  struct Entry {
    WebUser user;
    std::string place;
    Instant until;

    /// What is read in a session, and goes on.
    std::vector<std::weak_ptr<HttpStream>> streams = {};
  };

  /// By the hash of what has to be known.
  using Entries = std::map<std::string, Entry, std::less<>>;

  void add(Entries& to, std::string hash, Entry entry, Instant now) const;

  static void end_streams(const Entry& x);
  static void forget_the_old(Entries& of, Instant now);

  WebSessionLimits limits_;
  Entries links_;
  Entries sessions_;
};

} // namespace stoker
