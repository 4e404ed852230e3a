#pragma once

#include <array>
#include <functional>
#include <map>
#include <string_view>

#include <caf/scoped_actor.hpp>

#include "actors/interfaces.hpp"

namespace stoker {

/// Brings what executors write, in portions, until their end.
class OutputCollector {
public:
  /// What an executor wrote, as it comes.
  using Sink = std::function<void(int exec_id, bool standard_error,
                                  std::string_view data)>;

  /// @param client Passes requests on to the master.
  OutputCollector(caf::scoped_actor& self, AppClientActor client, Sink sink);

  void started(int exec_id);

  /// What the executor wrote is complete, though perhaps not brought.
  void ended(int exec_id);

  /// Gives up what executors that have not ended will still write.
  void leave_running();

  /// Whether everything has been brought, or given up.
  [[nodiscard]] bool done() const noexcept {
    return executors_.empty();
  }

  /// Asks for all that is new and hands it to the sink. Returns whether there
  /// was any.
  bool collect(const AppId& app_id);

private:
  struct Stream {
    std::int64_t offset = 0;
    bool complete = false;
  };

  struct Progress {
    /// Standard output, standard error.
    std::array<Stream, 2> streams;
    bool ended = false;
    int failed_tries = 0;
  };

  struct Question {
    int exec_id = 0;
    std::size_t stream = 0;
  };

  /// Asks all questions at once, then takes the answers.
  bool ask(const AppId& app_id, const std::vector<Question>& questions);
  bool take(const Question& question, const LogResponse& answer);

  caf::scoped_actor& self_;
  AppClientActor client_;
  Sink sink_;
  std::map<int, Progress> executors_;
};

} // namespace stoker
