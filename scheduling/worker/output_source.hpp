#pragma once

#include <string>

#include "messages/program_id.hpp"

namespace stoker {

/// The output of one program of a worker, as the worker knows it now.
struct OutputSource {
  ProgramId id;

  /// Which of the starts of a driver; 0 for an executor.
  int attempt = 0;

  std::string directory;

  /// The program runs, or will: more may be written.
  bool grows = false;

  /// It is a driver that has been started again since, or will be.
  bool restarts = false;

  /// The program waits for those who read it: a driver, or an executor whose
  /// application reads it.
  bool waits = false;
};

} // namespace stoker
