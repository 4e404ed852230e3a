#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "executor/output_sink.hpp"
#include "messages/job_ids.hpp"
#include "process/unique_fd.hpp"

namespace stoker::executor {

/// A part of a job's output directory, as "part-00007". Its attempt writes it as
/// ".part-00007.STAGE-TASK-ATTEMPT", and it gets its name when it is complete and its
/// attempt is the one that counts. What is not committed is removed with this object.
/// It is not synced to the disk.
class PartFile : public OutputSink {
public:
  /// Creates the file under its temporary name. Fails with `Errc::full` or `Errc::io`.
  /// @param directory Exists.
  /// @param part From 0.
  static Result<std::shared_ptr<PartFile>> create(const std::string& directory,
                                                  std::int32_t part,
                                                  const TaskAttempt& attempt);

  ~PartFile() override;

  Status append(std::string_view bytes) override;
  Status finish() override;

  /// Gives the file its name, in place of one that has it. Repeating it changes
  /// nothing.
  /// @pre `finish` succeeded
  Status commit();

  /// Leaves the file under its temporary name: another process commits it, or removes
  /// it.
  /// @pre `finish` succeeded
  void hand_over();

private:
  PartFile(std::string name, std::string temporary, process::UniqueFd file);

  std::string name_;
  std::string temporary_;
  process::UniqueFd file_;
  bool finished_ = false;
  bool committed_ = false;
};

/// Gives a part its name that was handed over, in place of one that has it. Fails with
/// `Errc::io` or `Errc::full`.
Status commit_part(const std::string& directory, std::int32_t part,
                   const TaskAttempt& attempt);

/// Removes what attempts left that were killed together with their executor.
void remove_unfinished_parts(const std::string& directory);

} // namespace stoker::executor
