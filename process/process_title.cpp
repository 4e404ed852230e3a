#include "process/process_title.hpp"

#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>

namespace stoker::process {

namespace {

/// The memory that the kernel shows as command line, [begin, end).
struct Region {
  char* begin = nullptr;
  char* end = nullptr;
};

/// Arguments and environment lie behind each other; proc(5) tells where.
Region find_region() {
  constexpr int first_field = 3; // after the name
  constexpr int arg_start_field = 48;
  std::ifstream in{"/proc/self/stat"};
  std::string text{std::istreambuf_iterator<char>{in}, {}};
  auto name_end = text.rfind(')');
  if (name_end == std::string::npos)
    return {};
  std::istringstream fields{text.substr(name_end + 1)};
  std::string skipped;
  for (int i = first_field; i < arg_start_field; ++i)
    fields >> skipped;
  std::uintptr_t arg_start = 0, arg_end = 0, env_start = 0, env_end = 0;
  fields >> arg_start >> arg_end >> env_start >> env_end;
  if (!fields || arg_start == 0 || arg_end <= arg_start)
    return {};
  auto end = env_start == arg_end ? std::max(arg_end, env_end) : arg_end;
  return {reinterpret_cast<char*>(arg_start), reinterpret_cast<char*>(end)};
}

} // namespace

void set_process_title(const char* name, const std::string& command_line) {
  ::prctl(PR_SET_NAME, name);
  // Asked once: the kernel's figures do not change, and both processes that
  // descend from one exec share them.
  static const auto region = find_region();
  if (region.begin == nullptr)
    return;
  ::clearenv();
  auto size = static_cast<std::size_t>(region.end - region.begin);
  auto used = std::min(size - 1, command_line.size());
  std::memset(region.begin, 0, size);
  std::transform(
      command_line.begin(),
      command_line.begin() + static_cast<std::ptrdiff_t>(used), region.begin,
      [](char c) { return static_cast<unsigned char>(c) < ' ' ? '?' : c; });
}

} // namespace stoker::process
