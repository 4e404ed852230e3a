#pragma once

#include <string>

#include <caf/allowed_unsafe_message_type.hpp>

namespace stoker {

/// Where Spark's programs find the master from now on, as "spark://127.0.0.1:7077".
struct SparkUrl {
  std::string url;
};

} // namespace stoker

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(stoker::SparkUrl)
