// stoker-conformance: answers cases with what Stoker decides, so that anybody
// can compare it with what Spark, or a model, decides.

#include <cstdint>
#include <exception>
#include <iostream>
#include <string>

#include <CLI/CLI.hpp>
#include <boost/json.hpp>

#include "tools/conformance/allocation_cases.hpp"
#include "tools/conformance/barrier_cases.hpp"
#include "tools/conformance/placement_cases.hpp"
#include "tools/conformance/spark_cases.hpp"
#include "tools/conformance/tenants_cases.hpp"
#include "tools/conformance/yarn_cases.hpp"

namespace {

namespace json = boost::json;

using Answer = json::value (*)(const json::value&);

/// Counts what became of the cases.
struct Tally {
  std::int64_t cases = 0;
  std::int64_t errors = 0;
};

/// The answer to one case, or why there is none.
json::value answer_one(const std::string& line, Answer answer, Tally& tally) {
  json::value id;
  ++tally.cases;
  try {
    auto question = json::parse(line);
    if (const auto* object = question.if_object())
      if (const auto* found = object->if_contains("id"))
        id = *found;
    return answer(question);
  } catch (const std::exception& e) {
    ++tally.errors;
    return json::object{{"id", id}, {"error", e.what()}};
  }
}

/// Returns the exit status.
int answer_all(Answer answer) {
  Tally tally;
  for (std::string line; std::getline(std::cin, line);)
    if (!line.empty())
      std::cout << json::serialize(answer_one(line, answer, tally)) << '\n';
  std::cout << std::flush;
  std::cerr << "stoker-conformance: " << tally.cases << " cases, "
            << tally.errors << " of them answered with an error\n";
  return std::cout && tally.cases > 0 && tally.errors == 0 ? 0 : 1;
}

} // namespace

int main(int argc, char** argv) {
  CLI::App app{"Answers cases with what Stoker decides: one JSON object a line "
               "from standard input to standard output. A case that cannot be "
               "answered gives {\"id\", \"error\"}. The last line on standard "
               "error says how many cases and how many errors there were."};
  app.require_subcommand(1);
  Answer answer = nullptr;
  app.add_subcommand("placement", "Cases of executors on workers: fills in "
                                  "`expect` and `after`")
      ->callback([&] { answer = stoker::conformance::complete; });
  app.add_subcommand("tenants", "Cases of companies and users: tells in "
                                "`expect` who is admitted after each event")
      ->callback([&] { answer = stoker::conformance::admissions; });
  app.add_subcommand("allocation", "Cases of dynamic allocation: tells in "
                                   "`expect` what is asked for, and who ends")
      ->callback([&] { answer = stoker::conformance::allocations; });
  app.add_subcommand("yarn-allocator", "Cases of requests for executors: fills "
                                       "in `expect` of each step")
      ->callback([&] { answer = stoker::conformance::requests_by_step; });
  app.add_subcommand("barrier-offers", "Cases of task sets in a round of "
                                       "offers: tells in `expect` how many "
                                       "tasks begin")
      ->callback([&] { answer = stoker::conformance::offers; });
  app.add_subcommand("spark-decode", "Frames of Spark's wire protocol as "
                                     "{\"id\", \"hex\"}: tells in `message` "
                                     "what is in them")
      ->callback([&] { answer = stoker::conformance::decoded_frame; });
  app.footer("Ends with 0 when each case has its answer, and with 1 when any "
             "has an error, when there are\nno cases at all, or when the "
             "answers cannot be written.\n\nExample:\n  stoker-conformance "
             "placement < cases.jsonl > answers.jsonl");
  CLI11_PARSE(app, argc, argv);
  return answer_all(answer);
}
