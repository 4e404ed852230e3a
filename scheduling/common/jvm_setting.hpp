#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stoker {

/// A setting of a Spark program that stands among the options of its JVM.
struct JvmSetting {
  /// "spark.executor.cores"
  std::string_view name;
  std::string_view value;
};

/// Returns the setting of this name, or std::nullopt. The last one counts, as it does in a
/// JVM.
/// @param options of the JVM, as "-Dspark.executor.cores=2"; the result refers to them
/// @param name without its beginning, which is "spark.", or "stoker." where Spark would
/// refuse the setting
inline std::optional<JvmSetting>
find_jvm_setting(const std::vector<std::string>& options,
                 std::string_view name) {
  std::optional<JvmSetting> result;
  for (std::string_view x : options)
    for (std::string_view begin : {"-Dspark.", "-Dstoker."}) {
      auto end = begin.size() + name.size();
      if (x.starts_with(begin) && x.substr(begin.size()).starts_with(name)
          && x.substr(end).starts_with('='))
        result = {x.substr(2, end - 2), x.substr(end + 1)};
    }
  return result;
}

} // namespace stoker
