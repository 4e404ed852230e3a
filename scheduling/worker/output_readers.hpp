#pragma once

#include <compare>
#include <cstdint>
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

  friend bool operator==(const OutputToKeep&, const OutputToKeep&) = default;
};

/// Who reads the output of a worker's programs, how far each one is, and what is
/// kept for them. Applications are waited for as long as they last, all others
/// only while they go on asking: nobody tells when they have gone.
class OutputReaders {
public:
  /// How long a reader that asks no more is waited for.
  static constexpr Duration patience = std::chrono::seconds{30};

  /// @param step_bytes A change that frees fewer bytes is not worth telling.
  explicit OutputReaders(std::int64_t step_bytes) : step_bytes_(step_bytes) {
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
  void started(const ProgramId& id);

  /// A dead worker may have had readers of this program, and may have told what
  /// to keep for them. They have some time to come here.
  void adopted(Instant now, const ProgramId& id);

  /// The program has ended, so nothing of its output goes.
  void ended(const ProgramId& id);

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

  std::int64_t step_bytes_;

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
