#pragma once

// What follows from a worker's decisions.

#include <map>
#include <string>
#include <variant>
#include <vector>

#include "messages/all.hpp"
#include "scheduling/registration/end_reason.hpp"
#include "scheduling/registration/master_link.hpp"
#include "scheduling/worker/worker_records.hpp"

namespace stoker {

// -- the master ---------------------------------------------------------------

using WorkerMessage
    = std::variant<RegisterWorker, Heartbeat, WorkerLatestState,
                   WorkerSchedulerStateResponse, WorkerDecommissioning,
                   WorkerLeft, DriverStateChanged>;

struct SendWorkerMessage {
  WorkerMessage message;
};

/// Ask, and feed StateAcknowledged back when the answer comes.
struct AskMaster {
  ExecutorStateChanged message;
};

// -- programs -----------------------------------------------------------------

/// Start a program under a supervisor, and feed its reports back. Store the
/// record first: a program that is not stored must not run.
struct StartProcess {
  ProgramId id;
  Command command;

  /// Of its supervisor and its logs.
  std::string directory;

  /// The program's own.
  std::string program_directory;
  ProgramRecord record;

  /// Keep all output until its readers say that it may go.
  bool keep_output = false;

  /// What the program finds in its own directory: texts by the names of files.
  std::map<std::string, std::string> files;

  /// The program reads what is written to it. Else its standard input is empty.
  bool reads_input = false;
};

/// Find a program of a dead worker again by its directory, and feed its reports
/// back, or ProcessNotFound.
struct AdoptProcess {
  ProgramId id;
  std::string directory;
};

/// TERM, grace, KILL. An unknown program is ignored.
struct EndProcess {
  ProgramId id;
};

// -- the disk -----------------------------------------------------------------

/// Store the record in place of what was stored of the program.
struct RememberProgram {
  ProgramRecord record;
};

/// Remove what was stored of the program.
struct ForgetProgram {
  ProgramId id;
};

/// Store that no worker is to continue under this worker's id.
struct RememberLeaving {};

/// Take over what workers have left that have been dead all the time since this
/// one was started, and feed ProgramsFound back.
struct FindAbandoned {};

/// Delete a directory with all that is in it.
struct RemoveDirectory {
  std::string path;
};

// -- outputs of tasks ---------------------------------------------------------

/// Serve what the application's executors write here, to whoever knows its secret.
/// Before the first of them is started.
struct ServeOutputs {
  AppId app;

  /// Empty: that which was kept when the application's outputs were served before.
  std::string secret;
};

/// Remove what the executor has not finished.
struct OutputWriterEnded {
  ExecutorId id;
};

/// Serve nothing of the application any more, and remove it.
struct StopServingOutputs {
  AppId app;
};

// -- time and the end ---------------------------------------------------------

/// Feed WorkerTick back at `when`.
struct WorkerWakeAt {
  Instant when;
};

/// The worker has come to its end.
struct StopWorker {
  /// `stopped`, `refused` or `master_lost`.
  EndReason reason = EndReason::stopped;

  /// Says why, in one line; empty when it was asked to stop or to leave.
  std::string error;
};

using WorkerEffect
    = std::variant<ConnectToMaster, SendWorkerMessage, AskMaster, StartProcess,
                   EndProcess, AdoptProcess, RememberProgram, ForgetProgram,
                   RememberLeaving, FindAbandoned, RemoveDirectory,
                   ServeOutputs, OutputWriterEnded, StopServingOutputs,
                   WorkerWakeAt, StopWorker>;

/// To be carried out in this order, which is part of the promise: an end is
/// stored before the master hears of it, the master hears that a worker leaves
/// before its programs are ended, and a program is adopted before it is ended.
using WorkerEffects = std::vector<WorkerEffect>;

} // namespace stoker
