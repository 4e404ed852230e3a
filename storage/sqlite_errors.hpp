#pragma once

#include <string>
#include <type_traits>
#include <utility>

#include <SQLiteCpp/Exception.h>

#include "messages/result.hpp"

namespace stoker {

/// Thrown below `catch_store_failures`, where SQLiteCpp throws as well.
struct StoreFailure {
  Error error;
};

/// What an error of SQLite means for the journal at `path`, and what to do.
/// `system_error` is the `errno` that the last call to the system has left, or 0:
/// disk quotas and limits are told by it alone, and SQLite itself does not keep
/// it for failed writes.
Error to_error(const SQLite::Exception& problem, const std::string& path,
               int system_error = 0);

/// A journal that holds what cannot be read. Nothing of it was changed.
Error corrupt_store(const std::string& path, const std::string& problem);

/// The same error where a check of the journal says it: the advice to run that check
/// would lead nowhere.
Error seen_by_check(Error x, const std::string& path);

/// A call to the system that failed with `system_error`.
Error system_failure(const std::string& path, int system_error);

/// Runs what may throw while it works on the file at `path`.
template <class Work>
auto catch_store_failures(const std::string& path, Work&& work)
    -> Result<std::invoke_result_t<Work>> {
  try {
    if constexpr (std::is_void_v<std::invoke_result_t<Work>>) {
      std::forward<Work>(work)();
      return {};
    } else {
      return std::forward<Work>(work)();
    }
  } catch (StoreFailure& e) {
    return std::move(e.error);
  } catch (const SQLite::Exception& e) {
    return to_error(e, path);
  }
}

/// The same for a check of that file.
template <class Work>
auto catch_check_failures(const std::string& path, Work&& work)
    -> Result<std::invoke_result_t<Work>> {
  auto result = catch_store_failures(path, std::forward<Work>(work));
  if (!result)
    return seen_by_check(std::move(result).error(), path);
  return result;
}

} // namespace stoker
