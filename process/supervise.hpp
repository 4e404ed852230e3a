#pragma once

namespace stoker::process {

/// The body of `stoker supervise`: runs one program under a guard and a
/// supervisor process. A `Monitor` starts it with a connected socket as
/// standard input, through which the spec comes and the control protocol runs
/// (see `control_protocol.hpp`). Returns an exit status if no supervisor starts;
/// otherwise guard and supervisor exit without the handlers of exit(3). Call it first
/// thing in `main`: no thread may run yet.
int supervise_main();

} // namespace stoker::process
