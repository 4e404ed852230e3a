#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

#include "scheduling/common/instant.hpp"

namespace stoker {

/// Without the spaces and control characters around it.
std::string_view trim(std::string_view text);

// Quantities as users of Spark write them. Nothing: not a quantity.

/// In MB: `512m`, `512MB`, `4g`, `1t`; a number alone is MB.
std::optional<std::int64_t> parse_memory_mb(std::string_view text);

/// In MB, as Spark reads a setting whose unit is MB: also `65536k`; less than 1 MB is 0.
std::optional<std::int64_t> parse_spark_memory_mb(std::string_view text);

/// In bytes: `64k`, `64m`, `1g`; a number alone is bytes.
std::optional<std::int64_t> parse_bytes(std::string_view text);

/// `500ms`, `15s`, `10m`, `10min`, `1h`, `1d`; a number alone is seconds. At
/// most a hundred years.
std::optional<Duration> parse_duration(std::string_view text);

/// As Spark reads a time that it counts in whole seconds: with `us` besides, and a '-'
/// before it; spaces around it do not matter. What is less than a second is dropped:
/// `1500ms` is 1 s. More than a hundred years is a hundred years.
std::optional<std::chrono::seconds> parse_seconds(std::string_view text);

/// A whole number.
std::optional<int> parse_count(std::string_view text);

/// "0.75"; not below 0.
std::optional<double> parse_fraction(std::string_view text);

/// `true` or `false`.
std::optional<bool> parse_flag(std::string_view text);

} // namespace stoker
