#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "messages/result.hpp"
#include "process/unique_fd.hpp"
#include "scheduling/worker/worker_records.hpp"

namespace stoker {

/// A worker's place in its work directory: who it is and what it runs, for the
/// one that is started in its place after its death. Workers that share a work
/// directory have an identity each:
///
///     .workers/lock                    held while an identity is taken or given up
///     .workers/directories/NAME        left by workers that have gone
///     .workers/N/lock                  held by the worker as long as it lives; says where it
///                                      is, so that a copy is known as one
///     .workers/N/worker.json           a IdentityRecord
///     .workers/N/programs/KEY.json     a ProgramRecord each, '+' for '/' in KEY
///     .workers/N/outputs               what the worker's executors have written
///     .workers/N/spark/APP             local files of Spark's executors
///     .workers/N/files                 files of commands (storage/file_store.hpp)
///     .workers/N/directories/NAME      empty: the worker has used NAME
///
/// Directories are closed to others (0700), and so are files (0600): commands
/// of drivers have secrets. Records are replaced as a whole; they are not synced
/// to the disk, because no program outlives the machine's loss of power either.
class WorkerIdentity {
public:
  /// What `take` has to report besides the identity.
  using Warnings = std::vector<std::string>;

  /// Takes the first identity whose worker is dead, preferably that of one with the
  /// figures of `wanted`, which then goes on in this one's name; or else a new
  /// identity. Those of other hosts, of living workers, and copies are left alone. Fails
  /// when the directory cannot be used. A full disk is no reason: what runs is found.
  static Result<std::unique_ptr<WorkerIdentity>>
  take(const std::string& work_directory, IdentityRecord wanted);

  /// Whether a worker was here and has not given up its identity.
  [[nodiscard]] static bool is_any_in(const std::string& work_directory);

  /// Gives up the lock, as the worker's death does. Nothing is removed.
  ~WorkerIdentity();

  WorkerIdentity(const WorkerIdentity&) = delete;
  WorkerIdentity& operator=(const WorkerIdentity&) = delete;

  /// Who the worker is: as wanted, or its predecessor.
  [[nodiscard]] const IdentityRecord& record() const noexcept {
    return record_;
  }

  /// What the identity's former worker has left. A record that cannot be read names
  /// a program of nobody, which is to be ended.
  [[nodiscard]] const ProgramsFound& found() const noexcept {
    return found_;
  }

  /// Where the worker's executors write for each other; it goes with the identity.
  [[nodiscard]] std::string output_directory() const {
    return path_ + "/outputs";
  }

  /// Where Spark's executors have a directory for each application; it goes with the
  /// identity.
  [[nodiscard]] std::string spark_directory() const {
    return path_ + "/spark";
  }

  /// Where the worker keeps files of commands; it goes with the identity.
  [[nodiscard]] std::string file_directory() const {
    return path_ + "/files";
  }

  /// What could not be read, one line each.
  [[nodiscard]] const Warnings& warnings() const noexcept {
    return warnings_;
  }

  // -- what is remembered -----------------------------------------------------

  Status remember(const ProgramRecord& x);
  Status remember_leaving();

  /// What is not remembered is forgotten already.
  void forget(const std::string& key);
  void forget_directory(const std::string& name);

  // -- the end ----------------------------------------------------------------

  /// Takes over identities that have been without a worker all the time since `take`
  /// returned, and what they remember. New warnings are appended.
  ProgramsFound take_abandoned();

  /// Removes the identity. The names of directories are left to whoever comes.
  /// Nothing can be remembered afterwards.
  void give_up();

private:
  WorkerIdentity(std::string root, std::string path, process::UniqueFd lock);

  ProgramsFound read_all();
  [[nodiscard]] Status write_record() const;

  std::string root_;
  std::string path_;
  process::UniqueFd lock_;
  IdentityRecord record_;
  ProgramsFound found_;
  Warnings warnings_;

  /// By the identity's path: marks of workers that were dead already.
  std::map<std::string, std::string> dead_;
};

} // namespace stoker
