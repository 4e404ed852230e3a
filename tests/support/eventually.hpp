#pragma once

#include <chrono>
#include <functional>

namespace stoker::test {

/// Long enough for a slow and busy machine under a sanitizer. No test passes by waiting for so
/// long: each waits for something that comes.
inline constexpr std::chrono::seconds patience{60};

/// Waits until a condition is true.
/// @return whether it was in time
bool eventually(const std::function<bool()>& condition,
                std::chrono::milliseconds timeout = patience);

} // namespace stoker::test
