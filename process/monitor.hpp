#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>

#include "messages/resource_use.hpp"
#include "process/launch_spec.hpp"

namespace stoker::process {

// -- reports: what became of a program ----------------------------------------

/// The program runs. Comes at most once for each key.
struct Started {
  /// Of the program, not of its supervisor.
  pid_t pid = 0;
  friend bool operator==(const Started&, const Started&) = default;
};

/// The program never ran.
struct CouldNotStart {
  /// An `errno` value.
  int error = 0;
  /// One line, as "cannot start 'foo': No such file or directory".
  std::string message;
  /// It could not enter the working directory.
  bool in_directory = false;
  friend bool operator==(const CouldNotStart&, const CouldNotStart&) = default;
};

/// The program has ended, none of its descendants is left, and its logs are
/// complete. Exactly one of `exit_code` and `signal` is set.
struct Ended {
  std::optional<int> exit_code;
  std::optional<int> signal;
  /// Whether `Monitor::end` asked for it.
  bool requested = false;
  /// Unset: whoever watched over it did not count.
  std::optional<ResourceUse> use;
  /// How long before this report, if no monitor watched then.
  std::chrono::milliseconds ago{};
  friend bool operator==(const Ended&, const Ended&) = default;
};

/// The supervisor or its guard died. The program and all of its descendants
/// have been ended; how the program itself fared is not known.
struct SupervisorLost {
  std::string message;
  friend bool operator==(const SupervisorLost&, const SupervisorLost&)
      = default;
};

/// How far a program's standard input is.
struct InputTaken {
  /// In bytes, from its start.
  std::int64_t taken = 0;

  /// The program reads no more, or has all.
  bool closed = false;

  /// Why nothing was taken, in one line.
  std::optional<std::string> problem;
  friend bool operator==(const InputTaken&, const InputTaken&) = default;
};

using Report = std::variant<Started, CouldNotStart, Ended, SupervisorLost>;

// -- the monitor --------------------------------------------------------------

struct MonitorConfig {
  /// The executable that does `supervise_main` when its first argument is `supervise`, or
  /// always. The default is the running program itself, even if its file was replaced.
  std::string supervisor = "/proc/self/exe";

  /// How long a supervisor that is to end its program, and has not, may take to
  /// give a sign of life. It is killed then, and its guard as long after that.
  std::chrono::milliseconds hang_patience{10'000};
};

/// Starts programs, each under a supervisor process of its own, watches over
/// them and ends them surely. All functions may be called from any thread, and
/// all but `wait_until_empty` from the listener too.
///
///                +-- guard ---- supervisor ---- program ---- descendants
///     worker ----+-- guard ---- supervisor ---- program ---- descendants
///    (Monitor)   +-- ...
///
/// Whichever of worker, guard and supervisor is killed, a remaining one ends
/// the tree below: a supervisor without a worker after `orphan_grace` or
/// without a guard at once, a guard without a supervisor at once, and the
/// monitor when both are gone. After the loss of all three, `adopt` does it.
/// Those that hang when they are needed are killed (`hang_patience`).
///
/// The monitor makes its process a subreaper (see prctl(2)), so that strayed
/// descendants come to it. It ends and reaps only processes that belong to one
/// of its programs, so other children of the process are safe.
class Monitor {
public:
  /// Runs on the monitor's own thread and must not block.
  using Listener
      = std::function<void(const std::string& key, const Report& report)>;

  Monitor(MonitorConfig config, Listener listener);

  /// Stops watching. The programs live on for their `orphan_grace`.
  ~Monitor();

  Monitor(const Monitor&) = delete;
  Monitor& operator=(const Monitor&) = delete;

  /// Starts a program. Success means that its supervisor is on the way and that
  /// reports follow; exactly one of `CouldNotStart`, `Ended` and
  /// `SupervisorLost` is the last. After an error no reports follow: a wrong
  /// spec, a key whose last report is still to come, a directory that cannot be
  /// written, a supervisor that cannot be executed.
  Status start(const std::string& key, const LaunchSpec& spec);

  /// Finds a program again by its directory, after a restart of the worker.
  /// Reports follow as after `start`. If the program ended in between, that is
  /// the report; if its supervisor was killed, its leftovers are ended first.
  /// Fails with `Errc::not_found` if nothing is known about a program there, with
  /// `Errc::io` if what is known cannot be read for 10 s, and with `Errc::in_use` if the key
  /// is taken. Of two monitors, the one that adopted last is told.
  Status adopt(const std::string& key, const std::string& directory);

  /// Ends a program: TERM, `kill_grace`, KILL. Repeating it changes nothing, an
  /// unknown key is ignored. Of a supervisor that hangs, the report is
  /// `SupervisorLost`.
  void end(const std::string& key);

  /// Says what of a program's output is kept from now on. An unknown key is
  /// ignored.
  void keep_output(const std::string& key, const KeptOutput& kept);

  /// What becomes of a piece of input. Nothing: the program is not known, or its end was
  /// reported, or will be. Called once, as the listener is.
  using InputListener = std::function<void(const std::optional<InputTaken>&)>;

  /// Writes to the standard input of a program (`LaunchSpec::input`), from `offset` on,
  /// counted from the start of the input; at most `input_bytes_max` bytes. What was taken before is
  /// not written again, also if another worker said it. Answered when something is taken
  /// that is new, or there is nothing new in it, or the program reads no more; the end
  /// alone, when the program has all. Of two that
  /// wait, the first is answered by how far the input is.
  /// @param end Nothing follows.
  void write_input(const std::string& key, std::int64_t offset,
                   std::string data, bool end, InputListener taken);

  /// Ends all programs.
  void end_all();

  /// Waits until every key has had its last report and all supervisors and
  /// guards have exited. Returns whether that came true in time. Not to be
  /// called by the listener.
  bool wait_until_empty(std::chrono::milliseconds timeout);

private:
  class Loop;
  MonitorConfig config_;
  std::unique_ptr<Loop> loop_;
};

} // namespace stoker::process
