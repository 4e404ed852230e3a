#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "messages/leader_epoch.hpp"
#include "messages/result.hpp"
#include "scheduling/master/stored.hpp"

namespace stoker {

/// Who leads on a store, or has led last.
struct StoredLeader {
  LeaderEpoch epoch;
  std::string master_url;
  std::int64_t since_ms = 0;
};
BOOST_DESCRIBE_STRUCT(StoredLeader, (), (epoch, master_url, since_ms))

/// What is stored, as it stood after one commit.
struct StoredView {
  /// Of the schema.
  int version = 0;
  StoredLeader leader;

  /// All records that can be read.
  StoredState state;

  /// A line for each record that cannot.
  std::vector<std::string> unreadable;
};

/// Reads the file of a SqliteJournal and changes nothing, whether a master uses
/// it or not. Fails when the file is not ours, newer, or too damaged.
Result<StoredView> view_stored(const std::string& path);

/// What is wrong with the file of a SqliteJournal, a line each: damaged pages,
/// records that cannot be read, and contradictions between them. Changes
/// nothing. Fails when the file is not ours, newer, or cannot be opened.
Result<std::vector<std::string>> check_stored(const std::string& path);

} // namespace stoker
