// stoker-conformance: answers cases with what Stoker decides, so that anybody
// can compare it with what Spark decided.

#include <iostream>
#include <string>

#include <CLI/CLI.hpp>
#include <boost/json.hpp>

#include "tools/conformance/placement_cases.hpp"

namespace {

namespace json = boost::json;

/// One case, or why it cannot be answered.
json::value answer(const std::string& line) {
  json::value id;
  try {
    auto question = json::parse(line);
    if (const auto* object = question.if_object())
      if (const auto* found = object->if_contains("id"))
        id = *found;
    return stoker::conformance::complete(question);
  } catch (const std::exception& e) {
    return json::object{{"id", id}, {"error", e.what()}};
  }
}

void answer_all(std::istream& in, std::ostream& out) {
  for (std::string line; std::getline(in, line);)
    if (!line.empty())
      out << json::serialize(answer(line)) << '\n';
  out << std::flush;
}

} // namespace

int main(int argc, char** argv) {
  CLI::App app{
      "Answers cases from standard input, one JSON object a line, with "
      "what Stoker decides."};
  app.require_subcommand(1);
  app.add_subcommand("placement",
                     "Fills in `expect` and `after` of cases of placement")
      ->callback([] { answer_all(std::cin, std::cout); });
  app.footer("Example:\n  stoker-conformance placement < cases.jsonl");
  CLI11_PARSE(app, argc, argv);
  return std::cout ? 0 : 1;
}
