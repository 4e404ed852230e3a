// What somebody submits over HTTP: a driver of Spark's.

#include <string>

#include "tests/fuzz/fuzz.hpp"
#include "web/submission_request.hpp"

using namespace stoker;

namespace {

bool has_zero(const std::vector<std::string>& texts) {
  for (const auto& x : texts)
    if (x.find('\0') != std::string::npos)
      return true;
  return false;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  auto text = test::text_of(data, size);
  (void)split_options(text);
  auto read = read_submission(text, {"spark://127.0.0.1:7077", 6066, "4.1.4"});
  if (!read) {
    test::require(read.code() == Errc::invalid_request);
    test::require(!read.error().message.empty());
    return 0;
  }
  // What is taken can be given to a program.
  const auto& command = read->description.command;
  test::require(command.spark && command.arguments.size() >= 3);
  test::require(!has_zero(command.arguments));
  test::require(!has_zero(command.spark->java_options));
  for (const auto& [name, value] : command.environment)
    test::require(!name.empty() && !has_zero({name, value}));
  return 0;
}
