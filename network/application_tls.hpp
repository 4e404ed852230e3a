#pragma once

#include <functional>
#include <memory>
#include <optional>

#include <boost/asio/ssl/context.hpp>
#include <openssl/types.h>

#include "messages/ids.hpp"
#include "network/application_secret.hpp"

namespace stoker {

// Connections within one application: TLS 1.3 with the application's secret as an
// external pre-shared key, whose identity is the application's id, and an ephemeral
// key exchange, so that who learns the secret later cannot read what was sent.
// There are no certificates, no session tickets and no older version. Both sides
// prove that they know the secret, or the handshake fails.

/// The secret of an application; nothing: it is not known. Called by any thread.
using SecretLookup
    = std::function<std::optional<ApplicationSecret>(const AppId&)>;

using TlsContext = boost::asio::ssl::context;

/// For whoever connects for an application.
std::shared_ptr<TlsContext>
application_client_context(const AppId& id, const ApplicationSecret& secret);

/// For whoever serves several applications.
std::shared_ptr<TlsContext> application_server_context(SecretLookup lookup);

/// For whoever connects and listens for one application.
std::shared_ptr<TlsContext>
application_peer_context(const AppId& id, const ApplicationSecret& secret);

/// Of which application both sides of a connection have proven to be, after its
/// handshake; nothing: of none.
std::optional<AppId> proven_application(const SSL* connection);

} // namespace stoker
