#pragma once

#include <string>

#include "messages/result.hpp"
#include "network/identity.hpp"
#include "network/tls_config.hpp"

namespace stoker {

/// The credentials of whoever has a state directory, for clusters on his own
/// machine: nobody has to set anything up, and no other user of the machine gets
/// in. They are in `DIRECTORY/credentials`:
///
///     ca.pem   node.pem, node-key.pem   owner.pem, owner-key.pem
///
/// The first call makes them, for ten years, and forgets the authority's key, so
/// that nobody can be added. Directories have mode 0700 and keys 0600, whatever the
/// umask. Several processes may call this at once.
///
/// @param role `node` for what serves, `operator_` for what asks.
/// Fails if others may write there, or if a file is missing.
Result<TlsConfig> owner_credentials(const std::string& state_directory,
                                    Role role);

} // namespace stoker
