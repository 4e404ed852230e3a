#pragma once

// What `stoker history` asks a master, as its options say.

#include <string>
#include <vector>

#include "messages/history.hpp"
#include "messages/instant.hpp"
#include "messages/result.hpp"

namespace stoker {

/// As users write it; empty: not given.
struct HistoryFilter {
  std::string id;

  /// As `parse_history_kinds`.
  std::vector<std::string> kinds;
  std::string user;
  std::string company;
  std::string name;
  std::string state;
  std::string since;
  std::string until;
};

/// What has ended. Fails with one line for what is no time, and for a state in which nothing
/// of these kinds ends.
Result<RequestHistory> history_question(const HistoryFilter& x, Instant now);

/// Use by month. Fails with one line for what is no month, and for what months do not tell.
Result<RequestUse> use_question(const HistoryFilter& x);

/// The same thing, whatever it is besides. @pre `x` has an id
RequestHistory question_about_id(const HistoryFilter& x);

/// Why an id is not in an answer.
/// @param is_there It would be in that of `question_about_id(x)`.
std::string missing_text(const HistoryFilter& x, bool is_there);

} // namespace stoker
