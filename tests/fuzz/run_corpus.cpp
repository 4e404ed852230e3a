// Runs a parser on each file of a folder: fuzz_NAME FOLDER

#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>

#include "tests/fuzz/fuzz.hpp"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: " << argv[0] << " FOLDER\n";
    return 2;
  }
  int files = 0;
  for (const auto& file : std::filesystem::directory_iterator{argv[1]}) {
    std::ifstream in{file.path(), std::ios::binary};
    std::string text{std::istreambuf_iterator<char>{in}, {}};
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(text.data()),
                           text.size());
    ++files;
  }
  std::cout << files << " files\n";
  return files > 0 ? 0 : 1;
}
