// What a worker tells of one output: scheduling/worker/output_part.hpp.

#include "scheduling/worker/output_part.hpp"

#include <algorithm>

#include "messages/output_texts.hpp"
#include "tests/support/catch.hpp"

using namespace stoker;

namespace {

const ProgramId source_id = ExecutorId{AppId{"app-1"}, 0};

/// A row of the table: a log of which a disk has `begin` to `end`, whose program wrote
/// `written` bytes and has ended, and a reader that has come to `offset`.
struct Row {
  const char* name;
  std::int64_t begin;
  std::int64_t end;
  std::optional<std::int64_t> written;
  std::int64_t offset;

  // What the reader is told.
  std::int64_t told_offset;
  std::size_t told_bytes;
  std::optional<std::string> problem;
};

OutputPart part_of(const Row& row) {
  auto position = about<OutputPosition>(source_id);
  position.offset = row.offset;
  OutputSource source;
  source.id = source_id;
  LogPiece piece;
  piece.offset = std::clamp(row.offset, row.begin, row.end);
  piece.end = row.end;
  piece.data.assign(static_cast<std::size_t>(piece.end - piece.offset), 'x');
  OutputAccount account;
  account.written = row.written;
  return output_part(position, source, piece,
                     [&] { return Result<OutputAccount>{account}; });
}

} // namespace

TEST_CASE("output of an ended program is delivered or reported as lost",
          "[output]") {
  for (const auto& row : std::vector<Row>{
           {"all is there", 0, 100, 100, 0, 0, 100, {}},
           {"the reader has a part", 0, 100, 100, 40, 40, 60, {}},
           {"the reader has all", 0, 100, 100, 100, 100, 0, {}},
           {"the oldest bytes are gone", 30, 100, 100, 0, 30, 70, {}},
           {"the last bytes are gone", 0, 60, 100, 0, 0, 60,
            "40 bytes are gone from the disk of its worker"},
           {"the last bytes are gone behind a reader", 0, 60, 100, 80, 60, 0,
            "20 bytes are gone from the disk of its worker"},
           {"the last bytes are gone, and the reader has them",
            0,
            60,
            100,
            100,
            60,
            0,
            {}},
           {"an older supervisor has not counted", 0, 60, {}, 0, 0, 60, {}}}) {
    INFO(row.name);
    auto part = part_of(row);
    CHECK(part.complete);
    CHECK(part.position.offset == row.told_offset);
    CHECK(part.data.size() == row.told_bytes);
    CHECK(part.problem == row.problem);
  }
}

TEST_CASE("a worker reports what was taken from the log before a piece",
          "[output]") {
  OutputSource source;
  source.id = source_id;
  auto position = about<OutputPosition>(source_id);
  LogPiece piece{"after", 7, 12, 7};
  OutputAccount said;
  said.tells_rotation = true;
  auto account = [&] { return Result<OutputAccount>{said}; };
  for (auto grows : {true, false}) {
    source.grows = grows;
    auto part = output_part(position, source, piece, account);
    CHECK(part.complete != grows);
    CHECK(part.problem == "7 bytes are gone from the disk of its worker");
    CHECK_FALSE(is_unreadable(part));
  }
  CHECK(is_unreadable(output_part(position, source, piece, [] {
    return Result<OutputAccount>{Error{Errc::io, "no memory"}};
  })));
  // An older supervisor does not say what rotation deleted.
  said.tells_rotation = false;
  CHECK_FALSE(output_part(position, source, piece, account).problem);
  said.tells_rotation = true;
  piece.gone = 0;
  CHECK_FALSE(output_part(position, source, piece, account).problem);
}

TEST_CASE("a worker counts all bytes that are lost", "[output]") {
  OutputSource source;
  source.id = source_id;
  auto position = about<OutputPosition>(source_id);
  // 7 bytes were taken before the piece, 5 behind it, and 3 are beside the log.
  LogPiece piece{"after", 7, 12, 7, 3};
  OutputAccount said;
  said.tells_rotation = true;
  said.written = 17;
  auto account = [&] { return Result<OutputAccount>{said}; };
  const std::string beside
      = "3 bytes are not shown: another process appended them to a log file "
        "that was full";
  auto part = output_part(position, source, piece, account);
  CHECK(part.complete);
  CHECK(part.problem
        == "12 bytes are gone from the disk of its worker; " + beside);
  CHECK(part.gone == 15);
  CHECK(part.end == 17);
  source.grows = true;
  part = output_part(position, source, piece, account);
  CHECK(part.problem
        == "7 bytes are gone from the disk of its worker; " + beside);
  CHECK(part.gone == 10);
  CHECK_FALSE(is_unreadable(part));
  piece.gone = 0;
  part = output_part(position, source, piece, account);
  CHECK(part.problem == beside);
  CHECK(part.gone == 3);
}

TEST_CASE("output that cannot be read now is asked for again", "[output]") {
  OutputSource source;
  source.id = source_id;
  auto position = about<OutputPosition>(source_id);
  auto account = [] { return Result<OutputAccount>{OutputAccount{}}; };
  auto part = output_part(position, source, Error{Errc::io, "no descriptor"},
                          account);
  CHECK_FALSE(part.complete);
  CHECK(part.problem == "no descriptor");
  part = output_part(position, source, LogPiece{}, [] {
    return Result<OutputAccount>{Error{Errc::io, "no memory"}};
  });
  CHECK_FALSE(part.complete);
  CHECK(part.problem == "no memory");
  part = output_part(position, source, Error{Errc::unreadable, "no log"},
                     account);
  CHECK(part.complete);
  CHECK(part.problem == "no log");
}
