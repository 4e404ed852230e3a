#pragma once

#include <mutex>
#include <string>
#include <utility>

namespace stoker {

/// Where the pages of this master are, for links to them, as "http://127.0.0.1:8080". Empty:
/// nowhere (yet). For any thread.
class PagesUrl {
public:
  void set(std::string url) {
    std::lock_guard lock{mutex_};
    url_ = std::move(url);
  }

  [[nodiscard]] std::string get() const {
    std::lock_guard lock{mutex_};
    return url_;
  }

private:
  mutable std::mutex mutex_;
  std::string url_;
};

} // namespace stoker
