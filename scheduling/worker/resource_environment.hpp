#pragma once

#include <map>
#include <string>

#include "messages/named_resources.hpp"

namespace stoker {

/// Tells a program which named resources are its own: STOKER_RESOURCE_GPU=0,3,
/// and for GPUs CUDA_VISIBLE_DEVICES too, which CUDA's own library reads.
/// @param for_cuda whether it may: a program that numbers the GPUs of its machine
/// itself would look for the wrong ones
void add_resources(const ResourceAddresses& resources,
                   std::map<std::string, std::string>& environment,
                   bool for_cuda = true);

} // namespace stoker
