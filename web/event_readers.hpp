#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "web/event_log.hpp"
#include "web/http_stream.hpp"

namespace stoker {

/// Who follows what happens: each event as JSON, in HTML's server-sent kind, with its number
/// as id. One who reads slowly is sent more as soon as he has read. Who goes on where there may be
/// something missing, since the master was started again or too much has happened, is told by
/// an event of the kind "missed".
class EventReaders {
public:
  /// @param after the number of the last event that he knows; 0: all that there are
  /// @param of only those that name it; empty: all
  void add(std::shared_ptr<HttpStream> stream, std::uint64_t after,
           std::string of);

  [[nodiscard]] bool empty() const {
    return readers_.empty();
  }

  /// Sends what is new to each. Forgets who reads no more.
  void show(const EventLog& log);

  /// Sends what is new to the one who reads this stream, if he has read what he was sent.
  void show_to(const HttpStream& stream, const EventLog& log);

  /// Ends all: another master has the news.
  void end_all();

  /// Lets who has nothing to read know that he is still followed by his server.
  void keep_alive();

private:
  struct Reader {
    std::shared_ptr<HttpStream> stream;
    std::uint64_t after = 0;
    std::string of;

    void show(const EventLog& log);
  };
  std::vector<Reader> readers_;
};

} // namespace stoker
