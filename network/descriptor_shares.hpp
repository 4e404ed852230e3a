#pragma once

#include <cstddef>

namespace stoker {

/// How many descriptors this process may have at once (setrlimit(2)).
std::size_t descriptors_max();

/// So many of them are for who reads pages, where there are pages: a few readers need few,
/// and others shall not wait for those.
std::size_t descriptors_for_pages();

} // namespace stoker
