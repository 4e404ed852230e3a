// Runs a parser on each file of some folders: fuzz_NAME FOLDER...

#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>

#include "tests/fuzz/fuzz.hpp"

namespace {

int run_on_files_of(const char* folder) {
  int files = 0;
  for (const auto& file : std::filesystem::directory_iterator{folder}) {
    std::ifstream in{file.path(), std::ios::binary};
    std::string text{std::istreambuf_iterator<char>{in}, {}};
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(text.data()),
                           text.size());
    ++files;
  }
  return files;
}

} // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::cerr << "usage: " << argv[0] << " FOLDER...\n";
    return 2;
  }
  for (int i = 1; i < argc; ++i) {
    auto files = run_on_files_of(argv[i]);
    std::cout << argv[i] << ": " << files << " files\n";
    if (files == 0)
      return 1;
  }
  return 0;
}
