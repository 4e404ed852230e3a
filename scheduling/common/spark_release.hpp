#pragma once

#include <compare>
#include <string>
#include <string_view>

#include "messages/result.hpp"

namespace stoker {

/// What programs of Spark's have to have in common to understand each other: "3.5"
/// of the version "3.5.9".
struct SparkRelease {
  int major = 0;
  int minor = 0;

  friend auto operator<=>(const SparkRelease&, const SparkRelease&) = default;
};

/// "Spark 3.5". Of the default value, which no Spark has: "the Spark of its driver".
[[nodiscard]] std::string to_string(const SparkRelease& x);

/// Reads a version: three numbers, of which the first is not 0, with nothing or a
/// vendor's addition behind them, as "3.5.9", "4.1.4-SNAPSHOT" or "3.5.1.dev0".
/// @return Errc::invalid_request, in one line, for anything else
[[nodiscard]] Result<SparkRelease> spark_release_of(std::string_view version);

} // namespace stoker
