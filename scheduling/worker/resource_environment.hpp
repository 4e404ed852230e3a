#pragma once

#include <map>
#include <string>

#include "messages/named_resources.hpp"

namespace stoker {

/// Tells a program which named resources are its own: STOKER_RESOURCE_GPU=0,3,
/// and for GPUs CUDA_VISIBLE_DEVICES too, which CUDA's own library reads.
void add_resources(const ResourceAddresses& resources,
                   std::map<std::string, std::string>& environment);

} // namespace stoker
