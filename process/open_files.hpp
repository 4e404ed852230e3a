#pragma once

#include <cstdint>
#include <vector>

namespace stoker::process {

/// Lets this process have as many descriptors as it may ask for: each peer and each
/// program takes some. To be called once, before there are threads.
void raise_open_files_limit();

/// What the limit was before, for the programs that this process starts: some use
/// as many as they may, or cannot use so many. 0: it was not raised.
std::uint64_t open_files_limit_before();

/// Lowers this process's limit to `count`, unless that is 0. In a child process
/// before exec.
void limit_open_files(std::uint64_t count);

/// What is open above standard error, in order. Called first of all, what whoever has
/// started this process has opened for it.
std::vector<int> open_descriptors();

/// Closes all above standard error but these. In a child process before exec.
/// @param kept in order
void close_descriptors_but(const std::vector<int>& kept);

} // namespace stoker::process
