#pragma once

#include <algorithm>
#include <array>
#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "messages/instant.hpp"
#include "messages/program_id.hpp"
#include "scheduling/worker/output_source.hpp"

namespace stoker {

/// What a program's logs have to keep: all bytes from these offsets on. Nothing:
/// any byte may go.
struct OutputToKeep {
  ProgramId id;
  std::optional<std::int64_t> out;
  std::optional<std::int64_t> err;

  /// The logs take nothing more for now: those of ended executors of the same
  /// application have more than enough that is not read.
  bool paused = false;

  friend bool operator==(const OutputToKeep&, const OutputToKeep&) = default;
};

/// Who reads the output of a worker's programs, how far each one is, and what is
/// kept for them. Applications are waited for as long as they last, all others
/// only while they go on asking: nobody tells when they have gone.
///
/// The output of an executor that has ended is kept for its application, too. If an
/// application has much of that on this worker, its running programs wait as they would
/// if their own logs were full. So the disk stays bounded, and no end waits for a reader.
class OutputReaders {
public:
  /// How long a reader that asks no more is waited for.
  static constexpr Duration patience = std::chrono::seconds{30};

  /// @param step_bytes A change that frees fewer bytes is not worth telling.
  /// @param unread_max How much of its ended executors' output an application may
  /// leave unread before its running ones wait.
  OutputReaders(std::int64_t step_bytes, std::int64_t unread_max)
      : step_bytes_(step_bytes), unread_max_(unread_max) {
  }

  /// A reader has all that stands before an offset. One that is still at an
  /// earlier start of a driver has nothing of the present one.
  /// @param reader Empty: the application.
  void read(Instant now, const std::string& reader, const OutputSource& source,
            bool standard_error, std::int64_t offset);

  /// A reader has all that there is. Its program may be waiting for just that:
  /// on a full disk each byte counts.
  void waits(const ProgramId& id);

  /// A program that may have readers has been started, again perhaps: nothing
  /// was told of it yet.
  /// @param is_read It is an executor whose application reads its output.
  void started(const ProgramId& id, bool is_read = false);

  /// A dead worker may have had readers of this program, and may have told what
  /// to keep for them. They have some time to come here.
  void adopted(Instant now, const ProgramId& id);

  /// The program has ended, so nothing of its output goes.
  /// @param unread How many bytes it wrote for an application that reads them; else 0
  void ended(const ProgramId& id, std::int64_t unread = 0);

  /// Nothing of an ended executor's output will be read by its application any more.
  void taken(const ExecutorId& id);

  /// The application has ended: it reads nothing any more that its running programs
  /// would wait for.
  void left(const AppId& app);

  /// Forgets readers that have not asked for too long.
  void tick(Instant now);

  /// When `tick` may have something to do.
  [[nodiscard]] std::optional<Instant> due() const;

  /// What logs have to keep from now on, where that has changed.
  std::vector<OutputToKeep> take_changes();

private:
  struct Stream {
    ProgramId id;
    bool standard_error = false;

    friend auto operator<=>(const Stream&, const Stream&) = default;
  };

  struct Follower {
    std::int64_t offset = 0;
    Instant until;
  };

  [[nodiscard]] std::optional<std::int64_t> kept(const Stream& stream) const;

  /// Of an ended executor whose application reads its output.
  struct Unread {
    std::int64_t written = 0;

    /// Standard output, standard error.
    std::array<std::int64_t, 2> read{};

    [[nodiscard]] std::int64_t bytes() const {
      return std::max(written - read[0] - read[1], std::int64_t{0});
    }
  };

  /// Those of one application.
  struct UnreadOutputs {
    std::map<int, Unread> executors;
    std::int64_t bytes = 0;
  };

  void change_unread(const ExecutorId& id,
                     const std::function<void(Unread&)>& change);
  void touch_all_of(const AppId& app);
  [[nodiscard]] bool is_paused(const ProgramId& id) const;

  std::int64_t step_bytes_;
  std::int64_t unread_max_;

  std::map<AppId, UnreadOutputs> unread_;

  /// How far applications are.
  std::map<Stream, std::int64_t> applications_;

  /// All others, by name.
  std::map<Stream, std::map<std::string, Follower>> followers_;

  /// Until when readers are expected that a dead worker had.
  std::map<ProgramId, Instant> adopted_;

  /// What was told last. Nothing is known of a program that is not there: it is
  /// told if there is something to keep.
  std::map<ProgramId, OutputToKeep> told_;

  /// Programs of which what is kept may have changed, and whether small changes
  /// count.
  std::map<ProgramId, bool> touched_;
};

} // namespace stoker
