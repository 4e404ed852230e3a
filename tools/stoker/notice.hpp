#pragma once

#include <string>

namespace stoker {

/// Tells the person at the terminal something, in one line on standard error that is
/// no part of the output: "stoker: TEXT". The text may hold anything, as names do.
void print_notice(const std::string& text);

} // namespace stoker
