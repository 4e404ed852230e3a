// Whatever a file holds, reading it gives steps or an error in words. Goal: no
// crash, no endless loop, no other exception. Method: logs of every type of
// event, changed at random places; the seed is printed when a check fails.

#include <sstream>

#include "messages/json_text.hpp"
#include "scheduling/common/random.hpp"
#include "scheduling/master/render.hpp"
#include "storage/message_log_reader.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/fill.hpp"

using namespace stoker;

namespace {

template <class Events, class Visit>
void for_each_event(Random& random, Visit visit) {
  auto one = [&]<class T>(T x) {
    stoker::test::fill(x, random);
    visit(x);
  };
  [&]<class... Ts>(std::variant<Ts...>*) {
    (one(Ts{}), ...);
  }(static_cast<Events*>(nullptr));
}

std::string log_of_everything(Random& random) {
  MessageLogHeader header;
  header.version = 2;
  header.series = "s";
  auto result = to_line(header);
  StepResult effects{{}, {Reply{true}}, Instant{Duration{5}}};
  for_each_event<Event>(random, [&](const auto& x) {
    append_step(result, Instant{Duration{1}}, EndpointId{"e"}, x, effects);
  });
  return result;
}

/// The same of a task scheduler.
std::string task_log_of_everything(Random& random) {
  auto result = to_line(TaskLogHeader{});
  JobsEffectLines lines;
  JobsEffects effects{TellStage{1, StageId{2}}};
  for_each_event<JobsEvent>(random, [&](const auto& x) {
    append_step(result, Instant{Duration{1}}, x, effects, lines);
  });
  return result;
}

void mutate(std::string& text, Random& random) {
  // What has a meaning to a parser, and what has none.
  const std::string parts[]
      = {"{",     "}",    "[",  "]", "\"",  ",", "null", "-1",
         "1e400", "\xff", "\n", "",  "\\u", "0", "true", "\\ud800"};
  for (auto n = 1 + random.below(4); n > 0 && !text.empty(); --n) {
    auto at = random.below(text.size());
    auto length = random.below(2) == 0 ? random.below(4) : random.below(200);
    text.replace(at, length, parts[random.below(std::size(parts))]);
  }
}

/// The number of steps that could be read.
template <class Reader>
std::uint64_t read(const std::string& text) {
  std::istringstream in{text};
  std::uint64_t result = 0;
  try {
    Reader reader{in};
    while (reader.next())
      ++result;
  } catch (const std::runtime_error& e) {
    CHECK(std::string{e.what()} != "");
  }
  return result;
}

} // namespace

TEST_CASE("a log that was changed at random never breaks its reader",
          "[storage][fuzz]") {
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
    INFO("seed " << seed);
    Random random{seed};
    auto text = log_of_everything(random);
    mutate(text, random);
    CHECK(read<MessageLogReader>(text) <= std::variant_size_v<Event>);
    text = task_log_of_everything(random);
    mutate(text, random);
    CHECK(read<TaskLogReader>(text) <= std::variant_size_v<JobsEvent>);
  }
}

TEST_CASE("text that is written at once is that of a tree of values",
          "[storage][fuzz]") {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    INFO("seed " << seed);
    Random random{seed};
    for_each_event<Event>(random, [](const auto& x) {
      std::string text;
      append_json(text, x);
      CHECK(text == boost::json::serialize(to_json(x)));
      text.clear();
      append_json<Secrets::kept>(text, x);
      CHECK(text == boost::json::serialize(to_json<Secrets::kept>(x)));
    });
  }
}

TEST_CASE("every character at every place of a string is written as it reads",
          "[storage]") {
  for (int c = 0; c < 128; ++c)
    for (std::size_t at = 0; at < 20; ++at) {
      std::string x(20, 'a');
      x[at] = static_cast<char>(c);
      std::string text;
      append_json_string(text, x);
      REQUIRE(text == boost::json::serialize(boost::json::value(x)));
    }
}
