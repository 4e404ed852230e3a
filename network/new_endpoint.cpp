#include "network/new_endpoint.hpp"

#include <unistd.h>

#include <random>

namespace stoker {

EndpointId new_endpoint(const std::string& kind) {
  std::random_device random;
  return EndpointId{kind + '-' + std::to_string(::getpid()) + '-'
                    + std::to_string(random()) + '-'
                    + std::to_string(random())};
}

} // namespace stoker
