#pragma once

// What was recorded beside what is written.

#include <algorithm>
#include <stdexcept>
#include <string>
#include <string_view>

#include "spark/java_json.hpp"
#include "spark/java_reader.hpp"
#include "spark/version_tables.hpp"
#include "tests/spark/recorded_frames.hpp"
#include "tests/support/catch.hpp"

namespace stoker::spark::test {

inline const VersionTable& table(const std::string& version) {
  for (const auto& x : version_tables())
    if (x.version() == version)
      return x;
  throw std::runtime_error{"no table for " + version};
}

/// The content of a recorded frame, by the number that its file begins with.
inline std::string_view recorded_content(const std::string& version,
                                         const std::string& number) {
  const auto& all = recorded_frames();
  auto found = std::find_if(all.begin(), all.end(), [&](const auto& x) {
    return x.version == version && x.file.starts_with(number);
  });
  REQUIRE(found != all.end());
  return content_of(*found);
}

/// What an object stream says, as JSON.
inline std::string fields_of(std::string_view content) {
  stoker::spark::JavaGraph graph;
  auto root = read_java(graph, content);
  REQUIRE(root);
  return boost::json::serialize(java_json(graph, *root));
}

} // namespace stoker::spark::test
