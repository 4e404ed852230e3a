#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "messages/ids.hpp"
#include "messages/job_ids.hpp"

namespace stoker {

// The names of files in an application's directory:
//
//     .server-id                         whose directory it is
//     .reserved                          how much of the quota is in use
//     .writing-EXECUTOR-STAGE-TASK-ATTEMPT.data, .index, .spill
//                                        somebody writes it, or was killed
//     STAGE-TASK-ATTEMPT.data            the partitions, in order
//     STAGE-TASK-ATTEMPT.index           where they are; what has one is whole

inline constexpr const char* server_id_file = ".server-id";
inline constexpr const char* reserved_file = ".reserved";

std::string data_file_name(const TaskAttempt& x);
std::string index_file_name(const TaskAttempt& x);

/// `kind` is "data", "index" or "spill".
std::string unfinished_file_name(int exec_id, const TaskAttempt& x,
                                 std::string_view kind);

/// What a name says that one of the functions above has made.
struct OutputFileName {
  TaskAttempt attempt;

  /// Who writes it; nothing: it is finished.
  std::optional<int> exec_id;

  /// "data", "index" or "spill".
  std::string kind;
};

/// Nothing: it is not the name of an output's file.
std::optional<OutputFileName> parse_output_file_name(std::string_view name);

/// Whether an application's id can be the name of a directory: letters, digits,
/// '.', '_' and '-', no '.' in front, 128 characters at most.
bool is_directory_name(const AppId& id);

} // namespace stoker
