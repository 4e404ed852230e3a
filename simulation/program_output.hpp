#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "scheduling/common/instant.hpp"
#include "scheduling/worker/output_readers.hpp"

namespace stoker::simulation {

/// Byte `offset` of what an executor writes to one of its streams. Readers are checked
/// against it.
char written_byte(int exec_id, bool standard_error, std::int64_t offset);

/// How much a program writes, and how fast.
struct OutputPlan {
  /// Bytes: standard output, standard error.
  std::array<std::int64_t, 2> total{};

  /// Bytes for each millisecond, at most.
  std::int64_t rate = 1;
};

/// The output of one executor: two pipes, and two logs that its supervisor writes, as
/// process/supervisor.cpp does with real ones. A log that is full of kept bytes takes
/// nothing more, and neither does one that is paused. Then the pipe fills up, and the
/// program waits. The logs outlive the program, the supervisor and the worker.
class ProgramOutput {
public:
  /// Bytes that a pipe holds.
  static constexpr std::int64_t pipe_bytes = 4096;

  /// @param log_bytes How many kept bytes each log holds.
  /// @param kept All bytes are kept from the start.
  ProgramOutput(int exec_id, const OutputPlan& plan, std::int64_t log_bytes,
                bool kept);

  /// The program runs from now on.
  void begin(Instant now);

  /// Applies what the worker's OUTPUT says.
  void keep(Instant now, const OutputToKeep& x);

  /// The program is told to end: its output is not paused any more.
  void told_to_end(Instant now);

  /// The processes are gone. The logs take what the pipes hold, however full they are.
  /// @param lost The supervisor as well: it leaves no count, and the pipes are lost.
  void end(Instant now, bool lost);

  /// Removes the last bytes of standard output from the disk, or the oldest ones. Changes
  /// nothing while the program runs.
  void damage(std::int64_t bytes, bool oldest);

  /// Returns true if the program has nothing left to write.
  [[nodiscard]] bool has_written_all(Instant now);

  [[nodiscard]] bool runs() const noexcept {
    return phase_ == Phase::running;
  }
  [[nodiscard]] bool has_ended() const noexcept {
    return phase_ == Phase::ended || phase_ == Phase::lost;
  }

  /// Returns true if the supervisor was lost with it.
  [[nodiscard]] bool lost() const noexcept {
    return phase_ == Phase::lost;
  }

  /// Returns how many bytes a log took, as the supervisor counted. Returns std::nullopt if it
  /// left no count.
  [[nodiscard]] std::optional<std::int64_t> count(bool standard_error) const;

  /// Returns how many bytes the program has written to a stream.
  [[nodiscard]] std::int64_t written(bool standard_error) const {
    return stream(standard_error).written;
  }
  [[nodiscard]] std::int64_t written() const {
    return written(false) + written(true);
  }
  [[nodiscard]] bool is_damaged() const noexcept {
    return damaged_;
  }

  /// A piece of a log.
  struct Piece {
    /// The offset of the first byte. It is more than was asked for if older ones are gone.
    std::int64_t offset = 0;
    std::string data;

    /// The end of the log.
    std::int64_t end = 0;
  };
  [[nodiscard]] Piece read(Instant now, bool standard_error,
                           std::int64_t offset, std::int64_t limit);

  /// Returns true if the program has waited for room in its logs.
  [[nodiscard]] bool has_waited() const noexcept {
    return has_waited_;
  }

  /// Returns true if the program has waited for readers of ended executors.
  [[nodiscard]] bool was_paused() const noexcept {
    return was_paused_;
  }

private:
  enum class Phase { starting, running, ended, lost };

  struct Stream {
    std::int64_t total = 0;

    /// By the program, and then by its log.
    std::int64_t written = 0;
    std::int64_t logged = 0;

    std::optional<std::int64_t> kept;

    /// What is left of the log on its disk.
    std::int64_t begin = 0;
    std::int64_t lost_at_end = 0;
  };

  void advance(Instant now);
  [[nodiscard]] const Stream& stream(bool standard_error) const {
    return streams_[standard_error ? 1 : 0];
  }

  int exec_id_;
  std::int64_t rate_;
  std::int64_t log_bytes_;
  std::array<Stream, 2> streams_;
  Phase phase_ = Phase::starting;
  bool paused_ = false;
  bool told_to_end_ = false;
  bool damaged_ = false;
  bool has_waited_ = false;
  bool was_paused_ = false;
  Instant until_;
};

} // namespace stoker::simulation
