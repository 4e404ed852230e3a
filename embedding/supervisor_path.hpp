#pragma once

#include <optional>
#include <string>

#include "process/unique_fd.hpp"

namespace stoker {

struct FoundSupervisor {
  /// See process::MonitorConfig.
  std::string executable;

  /// While this is open, `executable` is the same program, even if its file is replaced by
  /// a new version. May be empty: then it is that anyway, or nobody can promise it.
  process::UniqueFd file;
};

/// What supervises programs where this program is `stoker`, under whatever name: what is
/// installed beside it as `stoker-supervise`, which starts sooner, or else itself.
FoundSupervisor own_supervisor();

/// What supervises programs: `named`, if not empty; else `own_supervisor()`, if this
/// program's name begins with `stoker`; else STOKER_SUPERVISOR; else that of the `stoker`
/// which was installed, or is on PATH. Where that is a file called `stoker`, and
/// `stoker-supervise` is beside it, this is taken.
std::optional<FoundSupervisor> find_supervisor(const std::string& named);

} // namespace stoker
