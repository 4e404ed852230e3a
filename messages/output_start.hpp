#pragma once

#include <variant>

#include "messages/output.hpp"
#include "messages/program_id.hpp"

namespace stoker {

/// Where all that a program has written begins. Of a driver that is its first start, also
/// where less is kept.
inline OutputPosition start_of_output(const ProgramId& program,
                                      bool standard_error) {
  auto result = about<OutputPosition>(program);
  result.attempt = std::holds_alternative<DriverId>(program) ? 1 : 0;
  result.standard_error = standard_error;
  return result;
}

} // namespace stoker
