#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "scheduling/common/instant.hpp"
#include "tools/stoker/located_json.hpp"

namespace stoker {

/// Thrown where a job file is read; it does not leave parse_job_file.
struct WrongJobFile {
  int line = 0;
  std::string what;
};

/// A value of a job file, and what messages call it. Each function that reads it throws
/// WrongJobFile if it is something else.
class JobValue {
public:
  /// What to do with the value of a key.
  struct Key {
    std::string_view name;
    std::function<void(const JobValue&)> read;
  };

  /// @param where What stands in front of messages: "stage 'x': "
  /// @param name "'cores'"; empty if `where` says it.
  /// @param json Lives longer.
  JobValue(const LocatedJson& json, std::string where, std::string name)
      : json_(&json), where_(std::move(where)), name_(std::move(name)) {
  }

  [[nodiscard]] int line() const noexcept {
    return json_->place.line;
  }

  /// The same value under other names.
  [[nodiscard]] JobValue called(std::string where, std::string name) const {
    return {*json_, std::move(where), std::move(name)};
  }

  /// Says that the value is wrong.
  /// @param what "is not there"
  [[noreturn]] void fail(const std::string& what) const;
  [[noreturn]] void must_be(const std::string& expected) const;

  [[nodiscard]] int whole(int least, int most) const;
  [[nodiscard]] bool flag() const;

  /// Of so many bytes; `\u0000` is refused.
  [[nodiscard]] std::string text(std::size_t bytes_min,
                                 std::size_t bytes_max) const;

  /// A number of seconds, or a text with a unit; greater than 0.
  [[nodiscard]] Duration duration() const;

  /// Nothing if it is no text.
  [[nodiscard]] std::optional<std::string> if_text() const;

  /// As it is written: a text, a number, `true` or `false`.
  [[nodiscard]] std::string written() const;

  /// Each of an array, in order, under this value's name. There may be millions.
  /// @param expected What all of it is: "a list of hosts"
  void each(const std::string& expected,
            const std::function<void(const JobValue&)>& take) const;

  /// The same, all at once.
  [[nodiscard]] std::vector<JobValue> list(const std::string& expected) const;

  /// The value of each key, in order.
  [[nodiscard]] std::vector<std::pair<std::string, JobValue>> members() const;

  /// The value of a key; nothing: there is none.
  [[nodiscard]] std::optional<JobValue> find(std::string_view key) const;

  /// Reads an object in its order; other keys are errors.
  void read(const std::vector<Key>& keys) const;

private:
  [[nodiscard]] const LocatedJson::Object& object() const;

  /// A value in this one.
  [[nodiscard]] JobValue inner(const JsonMember& member) const;

  const LocatedJson* json_;
  std::string where_;
  std::string name_;
};

} // namespace stoker
