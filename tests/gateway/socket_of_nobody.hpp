#pragma once

#include "process/unique_fd.hpp"
#include "tests/gateway/socket_client.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/unprivileged.hpp"

namespace stoker::test {

/// Returns a socket that the kernel knows as that of user nobody, who is a stranger to servers of
/// the test. @pre The test runs as root.
inline process::UniqueFd socket_of_nobody() {
  TemporaryDirectory own;
  Unprivileged nobody{own.path(".")};
  return SocketClient::new_socket();
}

} // namespace stoker::test
