// How wide texts are in a terminal: tools/stoker/text_width.hpp.

#include "tools/stoker/text_width.hpp"

#include <sstream>

#include "tests/support/catch.hpp"
#include "tests/support/wide_texts.hpp"
#include "tools/stoker/table.hpp"

using namespace stoker;
using namespace stoker::test;

TEST_CASE("a text takes the cells that a terminal gives its characters",
          "[text]") {
  CHECK(cells_of("") == 0);
  CHECK(cells_of("plain text") == 10);
  CHECK(cells_of("gr\xc3\xbc\xc3\x9f") == 4);
  CHECK(cells_of(chinese) == 4);
  CHECK(cells_of(korean) == 4);
  CHECK(cells_of(full_width) == 2);
  CHECK(cells_of(rocket) == 2);
  CHECK(cells_of(combined) == 4);
  // As they are shown: a "?" for each of two, and U+FFFD.
  CHECK(cells_of("\x1b[2J\n\xff") == 6);
}

TEST_CASE("a text is shortened to what fits into cells", "[text]") {
  CHECK(shortened_to_cells("abcdef", 6) == "abcdef");
  CHECK(shortened_to_cells("abcdefg", 6) == "abc...");
  auto wide = std::string{chinese} + chinese;
  CHECK(shortened_to_cells(wide, 8) == wide);
  // Half of the second character does not fit.
  CHECK(shortened_to_cells(wide, 6) == wide.substr(0, 3) + "...");
  CHECK(shortened_to_cells(wide, 7) == wide.substr(0, 6) + "...");
  // A mark stays with the character that it belongs to.
  auto marked = std::string{combined} + combined;
  CHECK(shortened_to_cells(marked, 7) == std::string{combined} + "...");
  CHECK(shortened_to_cells("a\nbcdefg", 6) == "a?b...");
}

TEST_CASE("a text fills the cells that it is given", "[text]") {
  CHECK(in_cells("ab", 5) == "ab   ");
  CHECK(in_cells(chinese, 5) == std::string{chinese} + " ");
  CHECK(in_cells(std::string{chinese} + chinese, 6)
        == std::string{chinese}.substr(0, 3) + "... ");
  CHECK(in_cells("abcdef", 5) == "ab...");
}

TEST_CASE("columns stand below each other, however wide their characters are",
          "[text]") {
  std::ostringstream out;
  print_table(out, {"NAME", "X"},
              {{chinese, "y"}, {combined, "y"}, {"plain", "y"}});
  CHECK(out.str()
        == "  NAME   X\n"
           "  " + std::string{chinese}
               + "   y\n"
                 "  "
               + combined
               + "   y\n"
                 "  plain  y\n");
}

TEST_CASE("a cell of a name is no wider for wide characters", "[text]") {
  std::string name;
  for (int i = 0; i < 30; ++i)
    name += chinese;
  CHECK(cells_of(name_cell(name)) <= 32);
  CHECK(cells_of(name_cell(name)) >= 31);
  CHECK(name_cell(name).ends_with("..."));
}
