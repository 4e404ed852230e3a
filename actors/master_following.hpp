#pragma once

// How a master lets command lines wait for what it commits.

#include <cstdint>

#include <caf/result.hpp>

#include "actors/master.hpp"
#include "scheduling/master/ownership.hpp"

namespace stoker {

// No user keeps more than half of the questions open that may be.

/// Answers when all have ended, or when the time is up.
caf::result<EndsResponse> follow(MasterSelf self, const RequestEnds& x,
                                 const Speaker& who);

/// Answers when more is committed, or when the time is up.
caf::result<ChangePosition> follow(MasterSelf self, const AwaitChange& x,
                                   const Speaker& who);

/// Something was committed: answers those who have waited for that.
/// @param number Of the batch, in this leadership.
void answer_followers(MasterSelf self, std::uint64_t number,
                      const Changes& changes);

/// The same of those who have waited for long enough.
void check_followers(MasterSelf self);

} // namespace stoker
