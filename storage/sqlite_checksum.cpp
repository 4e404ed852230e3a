#include "storage/sqlite_checksum.hpp"

#include <sqlite3.h>

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <string>
#include <string_view>

#include "storage/sha256.hpp"

namespace stoker {

namespace {

/// How a value goes into the sum: its type, its size, its bytes.
void add_value(Sha256& sum, sqlite3_value* value) {
  std::string number;
  std::string_view bytes;
  switch (sqlite3_value_type(value)) {
  case SQLITE_INTEGER:
    number = std::to_string(sqlite3_value_int64(value));
    break;
  case SQLITE_FLOAT: {
    // The database keeps no sign of a zero.
    auto x = sqlite3_value_double(value) + 0.0;
    number.resize(sizeof x);
    std::memcpy(number.data(), &x, sizeof x);
    break;
  }
  case SQLITE_NULL:
    break;
  default: {
    // The size must be asked for last.
    const auto* text = static_cast<const char*>(sqlite3_value_blob(value));
    auto size = static_cast<std::size_t>(sqlite3_value_bytes(value));
    bytes = {text == nullptr ? "" : text, size};
  }
  }
  if (!number.empty())
    bytes = number;
  sum.add(std::to_string(sqlite3_value_type(value)) + ':'
          + std::to_string(bytes.size()) + ':');
  sum.add(bytes);
}

void checksum(sqlite3_context* context, int count, sqlite3_value** values) {
  try {
    Sha256 sum;
    for (int i = 0; i < count; ++i)
      add_value(sum, values[i]);
    constexpr std::size_t digits = 2 * sizeof(std::uint64_t);
    auto digest = sum.digest();
    std::uint64_t result = 0;
    std::from_chars(digest.data(), digest.data() + digits, result, 16);
    sqlite3_result_int64(context, static_cast<sqlite3_int64>(result));
  } catch (const std::exception&) {
    sqlite3_result_error_nomem(context);
  }
}

} // namespace

void add_checksum_function(SQLite::Database& database) {
  constexpr int any_number = -1;
  database.createFunction("stoker_checksum", any_number, true, nullptr,
                          checksum);
}

} // namespace stoker
