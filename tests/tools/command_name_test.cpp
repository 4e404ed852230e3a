// Names for what runs a command: tools/stoker/command_name.hpp.

#include "tools/stoker/command_name.hpp"

#include "tests/support/catch.hpp"

using namespace stoker;

TEST_CASE("a command's name has its first words when none is given") {
  CHECK(command_name({"/usr/bin/gzip", "-k", "{}"}) == "gzip -k {}");
  CHECK(command_name({"true"}) == "true");
  CHECK(command_name({"sh", "-c", "for x in 1 2\n\tdo  echo\n done "})
        == "sh -c for x in 1 2 do echo done");
}

TEST_CASE("a command's name is one short line when its words are long") {
  CHECK(command_name({"sh", "-c", std::string(1000, 'x')})
        == "sh -c " + std::string(31, 'x') + "...");
  // No character is cut in two.
  std::string umlauts;
  for (int i = 0; i < 40; ++i)
    umlauts += "\xC3\xA4";
  auto name = command_name({"x", umlauts});
  CHECK(name == "x " + umlauts.substr(0, 70) + "...");
  CHECK(command_name({"echo", "\xFF\x1B[31m"}).find('\x1B')
        == std::string::npos);
}

TEST_CASE("a shell line's name is its beginning") {
  CHECK(shell_line_name("tr -cs A-Za-z '\\n' < a/b")
        == "tr -cs A-Za-z '\\n' < a/b");
  CHECK(shell_line_name(" \n x\ty ") == "x y");
  CHECK(shell_line_name("").empty());
}
