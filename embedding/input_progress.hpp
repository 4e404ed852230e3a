#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "embedding/seekable_input.hpp"
#include "messages/errc.hpp"
#include "messages/ids.hpp"
#include "messages/input.hpp"
#include "messages/instant.hpp"

namespace stoker {

/// How far the executors of an application have read its input, and what to write to them
/// next. One request at a time is under way to each, so slow ones keep nobody back.
///
///                 the source has it         asked
///     ready -------------------------> asked -----> ready     until it is closed
///       |   the source has it not yet      | failed
///       +-------> waiting --> ready        +------> ready, after a pause
class InputProgress {
public:
  void is_application(const AppId& id);

  /// One that was not there before reads from the start.
  void started(int exec_id, const WorkerId& worker);

  /// It reads no more.
  void ended(int exec_id);

  /// As above, for all that is known: its worker may come back.
  void lost(int exec_id);
  void found_again(int exec_id);

  /// The source may have more.
  void arrived();

  /// Who is to be written to now, and from which offset on.
  [[nodiscard]] std::vector<std::pair<int, std::int64_t>>
  ready(Instant now) const;

  /// What is written to it. Nothing: the source does not have it yet.
  std::optional<WriteInput> write(int exec_id, InputPart part);

  /// @returns why nothing can ever be written to it, if that is so
  std::optional<std::string> answered(int exec_id, const InputResponse& x);

  /// @returns as above
  std::optional<std::string> failed(Instant now, int exec_id, Errc code,
                                    const std::string& why);

  /// How far the source has to be read, for the fastest. Nothing: nobody reads.
  [[nodiscard]] std::optional<std::int64_t> needed() const;

  /// How much to write at once: less if many read.
  [[nodiscard]] std::size_t piece_bytes() const;

  /// When to look again although nothing has happened.
  [[nodiscard]] std::optional<Instant> due(Instant now) const;

private:
  struct Reader {
    WorkerId worker;

    /// What it has taken.
    std::int64_t offset = 0;
    bool is_asked = false;

    /// Set after a failure.
    std::optional<Instant> not_before;
    Duration pause{};
  };

  Reader* find_asked(int exec_id);

  AppId app_id_;

  /// Those that are not closed.
  std::map<int, Reader> readers_;
  std::map<int, Reader> lost_;

  /// Of which nothing is under way.
  std::set<int> ready_;
  std::set<int> waiting_;
};

} // namespace stoker
