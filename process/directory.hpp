#pragma once

#include <optional>
#include <string>
#include <variant>

#include "process/control_protocol.hpp"
#include "process/unique_fd.hpp"

namespace stoker::process {

/// The directory of one program and what is in it, except its logs. Besides files that the
/// program finds there:
///
///     control.sock   where its supervisor listens
///     state.json     the last `State`
///
/// The supervisor and its guard hold a lock on the directory.
class Directory {
public:
  /// Opens an existing directory. Fails with an `errno` value.
  static std::variant<Directory, int> open(const std::string& path);

  [[nodiscard]] int fd() const noexcept {
    return fd_.get();
  }

  /// Takes the lock for this process and its children that do not exec.
  /// Returns false if another supervisor holds it.
  [[nodiscard]] bool lock() const;

  // -- state.json -------------------------------------------------------------

  /// Replaces the state, as a whole or not at all. Returns 0 or `errno`. After
  /// a first success it works on a full disk too.
  int save(const State& state) const;

  /// Fails with an `errno` value; EBADMSG: it is none that we understand.
  [[nodiscard]] std::variant<State, int> load() const;

  // -- files of the program ---------------------------------------------------

  /// Writes a file that only this user can read, in place of one of this name. Returns 0
  /// or `errno`.
  [[nodiscard]] int write(const std::string& name,
                          const std::string& text) const;

  // -- control.sock -----------------------------------------------------------

  /// Listens, in place of whoever listened before. Fails with `errno`.
  [[nodiscard]] std::variant<UniqueFd, int> listen() const;

  /// Connects to the supervisor; holds nothing if none listens.
  [[nodiscard]] UniqueFd connect() const;

  void remove_socket() const;

private:
  explicit Directory(UniqueFd fd);

  UniqueFd fd_;
};

} // namespace stoker::process
