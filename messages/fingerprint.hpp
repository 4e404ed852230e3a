#pragma once

#include <string>

namespace stoker {

/// Tells builds apart whose messages differ: 16 hexadecimal digits, the same where
/// all messages between processes have the same names, fields and types, whatever
/// the version is called. Not for secrets: anybody can make another text with it.
const std::string& message_fingerprint();

} // namespace stoker
