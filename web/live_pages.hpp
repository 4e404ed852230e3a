#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "messages/states.hpp"
#include "pages/page.hpp"
#include "web/http_stream.hpp"
#include "web/page_address.hpp"

namespace stoker {

/// Who follows a page, as the foot of a page names him. A page that was made for another one is
/// of no use to him.
struct LiveReader {
  std::string name;
  bool has_session = false;

  friend auto operator<=>(const LiveReader&, const LiveReader&) = default;
};

/// Who follows which page, and what he was sent: events of HTML's server-sent kind, one for
/// each section that has changed. All who follow a page share what is sent. One who reads
/// slowly misses what is in between, and gets the page as it is then.
class LivePages {
public:
  struct Topic {
    PageAddress address;

    /// By section, as events. Under an empty name: why there is none.
    std::map<std::string, HttpStream::Piece> sections;

    struct Reader {
      std::shared_ptr<HttpStream> stream;
      LiveReader who;

      /// It has yet to be sent all sections.
      bool is_behind = true;
    };
    std::vector<Reader> readers;
  };

  /// @param target of the page, as "/workers?page=2"
  void add(const std::string& target, const PageAddress& address,
           std::shared_ptr<HttpStream> reader, LiveReader who);

  /// By target.
  [[nodiscard]] const std::map<std::string, Topic>& topics() const {
    return topics_;
  }

  [[nodiscard]] bool empty() const {
    return topics_.empty();
  }

  /// Sends what has changed of a page.
  void show(const std::string& target, const pages::Page& page);

  /// Tells that there is nothing to show any more, until there is again.
  /// @param why in a sentence
  void show_missing(const std::string& target, const std::string& why);

  /// Tells all in which state the master is, what time it is, and as whom they read. Who is
  /// told nothing for a while takes the master for lost.
  /// @param status unset: the master does not answer these pages
  void show_status(std::optional<RecoveryState> status, std::int64_t now_ms);

  /// Forgets those who read no more.
  void forget_the_gone();

private:
  std::map<std::string, Topic> topics_;
};

} // namespace stoker
