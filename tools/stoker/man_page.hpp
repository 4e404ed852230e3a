#pragma once

#include <string>

#include "tools/stoker/described_command.hpp"

namespace stoker {

/// The name of a command's manual page, as `man` is asked for it: "stoker-data-show".
std::string man_page_name(const DescribedCommand& command);

/// A manual page in troff, of section 1. @param version As "stoker 0.1.0".
std::string man_page(const DescribedCommand& command,
                     const DescribedCommand& program,
                     const std::string& version);

} // namespace stoker
