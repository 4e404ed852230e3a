#include "network/descriptor_shortage.hpp"

#include <cerrno>
#include <string>

#include "network/descriptor_shares.hpp"
#include "tests/support/captured_log.hpp"
#include "tests/support/catch.hpp"

using namespace stoker;
using namespace std::chrono_literals;

TEST_CASE(
    "that no descriptor is left is told once, and again after it was well",
    "[network]") {
  test::CapturedLog captured;
  DescriptorShortage shortage{"of readers"};
  DescriptorShortage::Clock::time_point now{1h};
  const auto line
      = "[connections-not-taken] connections of readers cannot be taken: this "
        "process has the "
        + std::to_string(descriptors_max())
        + " open files that it may have: start it with more ('ulimit -n', or "
          "LimitNOFILE in its unit)\n";
  CHECK(shortage.note(EMFILE, now));
  CHECK(captured.text() == line);
  // However long it lasts.
  for (int i = 0; i < 100; ++i)
    CHECK(shortage.note(EMFILE, now += 50s));
  CHECK(captured.text() == line);
  CHECK(shortage.note(EMFILE, now += 1min));
  CHECK(captured.text() == line + line);
}

TEST_CASE("what is no want of descriptors is not told as one", "[network]") {
  test::CapturedLog captured;
  DescriptorShortage shortage{"of readers"};
  CHECK_FALSE(shortage.note(ECONNABORTED));
  CHECK_FALSE(shortage.note(0));
  CHECK(captured.text().empty());
  // The whole machine may have none left, which another setting mends.
  CHECK(shortage.note(ENFILE));
  CHECK(captured.text().find("raise fs.file-max") != std::string::npos);
}
