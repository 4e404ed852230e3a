#pragma once

// Files that go with commands: the master says who may store and have them, and what is
// needed; the FILES keep them.

#include "actors/master.hpp"
#include "scheduling/master/ownership.hpp"

namespace stoker {

/// Looks what there is, and then calls it. Nothing is refused because of a file before that.
void open_files(MasterSelf self, const std::function<void()>& then);

/// Passes a piece on. @param who Has proven to send it, and may.
caf::result<StoreFileResponse> store_file(MasterSelf self, StoreFilePart x,
                                          const Speaker& who);

/// Answers a worker. Fails with `Errc::not_allowed`.
caf::result<FilePart> fetch_file(MasterSelf self, const FetchFilePart& x,
                                 const Speaker& who);

/// Whether the files are here that it names; they are then needed. What is known already
/// need not have them.
/// @return Errc::not_found, with the first that is missing
Status have_files(MasterSelf self, const RegisterApplication& x,
                  const Speaker& who);
Status have_files(MasterSelf self, const RequestSubmitDriver& x,
                  const Speaker& who);

/// Has those removed that nothing has needed for long, and will look again.
void check_files(MasterSelf self);

} // namespace stoker
