#pragma once

#include "scheduling/master/step.hpp"

namespace stoker {

/// One scheduling pass (document 000, section 6): drivers first, then the
/// applications in order of admission.
///
/// A pass gives the same as one that visits every application with every worker,
/// but looks only at what can have changed (`Pool`).
void run_pass(Step& step);

} // namespace stoker
