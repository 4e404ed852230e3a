#pragma once

// Programs that wait for their files, which the FILE FETCHER puts into their directories; and
// drivers of Spark's whose jar is looked for.

#include <string>
#include <vector>

#include "actors/worker.hpp"

namespace stoker {

/// Has the fetcher look at what a dead worker has kept, if it has kept anything.
void find_kept_files(WorkerSelf self);

/// Starts the program once its files are there. If they cannot be, it has failed.
void start_with_files(WorkerSelf self, const ProgramId& id,
                      const std::vector<CommandFile>& files,
                      process::LaunchSpec spec);

/// Starts the program if its worker can read the jar. If not, it has failed as on a worker of
/// Spark's.
void start_with_jar(WorkerSelf self, const ProgramId& id,
                    const std::string& jar, process::LaunchSpec spec);

void on_files_placed(WorkerSelf self, const FilesPlaced& x);

/// Does not start the program, if it still waits.
void stop_waiting_for_files(WorkerSelf self, const ProgramId& id);

/// Passes a question of the fetcher on to the master.
caf::result<FilePart> ask_for_file(WorkerSelf self, const FetchFilePart& x);

/// The worker has ended.
void end_fetcher(WorkerSelf self);

} // namespace stoker
