#pragma once

// Programs that users have started when something of theirs has ended.

#include <optional>

#include "messages/following.hpp"
#include "messages/result.hpp"
#include "scheduling/master/step.hpp"

namespace stoker {

/// How often it is started again at most when it fails.
inline constexpr int hook_retries_max = 1000;

/// Whether it can be started; if not, what is wrong.
[[nodiscard]] Status validate(const EndHook& x);

/// Submits the program as a driver, which finds in its environment how it has ended:
/// STOKER_ENDED_ID, STOKER_ENDED_NAME, STOKER_ENDED_STATE, and where there is something to
/// say STOKER_ENDED_MESSAGE and STOKER_ENDED_EXIT_STATUS.
/// @param after The application whose programs still have to end before it starts.
/// @tparam Record A StoredApplication or a StoredDriver, with its secrets.
template <class Record>
void start_end_hook(Step& step, const Record& of, const ProgramEnd& end,
                    const std::optional<AppId>& after = {});

} // namespace stoker
