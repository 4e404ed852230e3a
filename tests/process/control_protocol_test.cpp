#include "process/control_protocol.hpp"

#include <variant>

#include "tests/support/catch.hpp"

using namespace stoker::process;
using stoker::Errc;

namespace {

Launch example() {
  Launch result;
  result.token = "0123";
  result.spec.title = "app-1/0";
  // Arguments are bytes: neither newlines nor broken UTF-8 may matter.
  result.spec.arguments = {"program", "", "two\nlines", "\xff\xfe"};
  result.spec.environment = {{"A", "1"}, {"EMPTY", ""}};
  result.spec.directory = "/work/app-1/0";
  result.spec.files = {{"a.json", "[\n]"}, {"empty", ""}};
  result.spec.open_files_max = 1024;
  result.spec.spark_worker_port = true;
  result.spec.input = true;
  result.spec.program_directory = "/work/x/work";
  result.spec.kept_output = {0, 7, true};
  return result;
}

} // namespace

TEST_CASE("a launch survives the way through JSON") {
  auto launch = example();
  auto text = to_json(launch);
  CHECK(text.find('\n') == std::string::npos);
  auto parsed = parse_launch(text);
  REQUIRE(parsed);
  const auto& copy = *parsed;
  CHECK(copy.token == launch.token);
  CHECK(copy.spec.title == launch.spec.title);
  CHECK(copy.spec.arguments == launch.spec.arguments);
  CHECK(copy.spec.environment == launch.spec.environment);
  CHECK(copy.spec.directory == launch.spec.directory);
  CHECK(copy.spec.files == launch.spec.files);
  CHECK(copy.spec.orphan_grace == launch.spec.orphan_grace);
  CHECK(copy.spec.kill_grace == launch.spec.kill_grace);
  CHECK(copy.spec.log_bytes_max == launch.spec.log_bytes_max);
  CHECK(copy.spec.log_files == launch.spec.log_files);
  CHECK(copy.spec.open_files_max == launch.spec.open_files_max);
  CHECK(copy.spec.spark_worker_port == launch.spec.spark_worker_port);
  CHECK(copy.spec.input == launch.spec.input);
  CHECK(copy.spec.program_directory == launch.spec.program_directory);
  CHECK(copy.spec.kept_output == launch.spec.kept_output);
}

TEST_CASE(
    "who knows nothing of input launches programs without, and adopts them") {
  auto without = [](std::string text, const std::string& field) {
    auto i = text.find(field);
    REQUIRE(i != std::string::npos);
    return text.erase(i, field.size());
  };
  auto launch = parse_launch(without(to_json(example()), ",\"input\":true"));
  REQUIRE(launch);
  CHECK_FALSE(launch->spec.input);
  State state;
  state.takes_input = true;
  auto copy = parse_state(without(to_json(state), ",\"takes_input\":true"));
  REQUIRE(copy);
  CHECK_FALSE(copy->takes_input);
  state.names_oldest = true;
  copy = parse_state(without(to_json(state), ",\"names_oldest\":true"));
  REQUIRE(copy);
  CHECK_FALSE(copy->names_oldest);
  // Nor of why a program did not start.
  state.in_directory = true;
  copy = parse_state(without(to_json(state), ",\"in_directory\":true"));
  REQUIRE(copy);
  CHECK_FALSE(copy->in_directory);
}

TEST_CASE("a state without the end of its logs is one of an older supervisor") {
  State state;
  state.written = WrittenOutput{7, 1LL << 40};
  auto text = to_json(state);
  auto copy = parse_state(text);
  REQUIRE(copy);
  CHECK(copy->written == state.written);
  auto i = text.find("\"written\"");
  REQUIRE(i != std::string::npos);
  text.replace(i, 9, "\"unknown\"");
  copy = parse_state(text);
  REQUIRE(copy);
  CHECK_FALSE(copy->written);
}

TEST_CASE("a state survives the way through JSON") {
  State state;
  state.phase = Phase::ended;
  state.token = "0123";
  state.cgroup = "/sys/fs/cgroup/x";
  state.guard = {10, 11};
  state.supervisor = {20, 21};
  state.program = {30, 31};
  state.signal = 9;
  state.requested = true;
  state.in_directory = true;
  state.takes_input = true;
  state.names_oldest = true;
  auto copy = parse_state(to_json(state));
  REQUIRE(copy);
  CHECK(copy->phase == state.phase);
  CHECK(copy->token == state.token);
  CHECK(copy->cgroup == state.cgroup);
  CHECK(copy->guard == state.guard);
  CHECK(copy->supervisor == state.supervisor);
  CHECK(copy->program == state.program);
  CHECK(copy->exit_code == state.exit_code);
  CHECK(copy->signal == state.signal);
  CHECK(copy->requested == state.requested);
  CHECK(copy->in_directory == state.in_directory);
  CHECK(copy->output_error == state.output_error);
  CHECK(copy->lost_output == state.lost_output);
  CHECK(copy->takes_input == state.takes_input);
  CHECK(copy->names_oldest);
}

TEST_CASE("how far input is survives the way through JSON, beside states") {
  for (const auto& x : {InputState{}, InputState{1LL << 40, true, {}},
                        InputState{7, false, "the input has a gap"}}) {
    auto copy = parse_news(to_json(x));
    REQUIRE(copy);
    REQUIRE(std::holds_alternative<InputState>(*copy));
    CHECK(std::get<InputState>(*copy) == x);
  }
  auto state = parse_news(to_json(State{}));
  REQUIRE(state);
  CHECK(std::holds_alternative<State>(*state));
  for (const auto* text :
       {"", "{\"version\":2}", "{\"version\":2,\"taken\":1}",
        "{\"version\":2,\"taken\":\"x\",\"closed\":true,\"problem\":null}"})
    CHECK_FALSE(parse_news(text));
}

TEST_CASE("a piece of input that cannot be is refused") {
  auto text = [](const std::string& offset, const std::string& bytes) {
    return R"({"version":2,"request":"input","input":{"offset":)" + offset
           + R"(,"bytes":)" + bytes + R"(,"end":false}})";
  };
  CHECK(parse_request(text("0", "65536")));
  CHECK_FALSE(parse_request(text("-1", "1")));
  CHECK_FALSE(parse_request(text("0", "65537")));
  CHECK_FALSE(parse_request(text("0", "-1")));
  CHECK_FALSE(parse_request(text("9223372036854775807", "1")));
  CHECK_FALSE(parse_request(R"({"version":2,"request":"input"})"));
}

TEST_CASE("every request survives the way through JSON") {
  for (auto kind :
       {RequestKind::hello, RequestKind::end, RequestKind::acknowledge}) {
    Request request{kind, {}};
    CHECK(parse_request(to_json(request)) == request);
  }
  for (const auto& kept :
       {KeptOutput{}, KeptOutput{7, std::nullopt}, KeptOutput{0, 1LL << 40}}) {
    Request request{RequestKind::keep, kept};
    CHECK(parse_request(to_json(request)) == request);
  }
  Request piece{RequestKind::input, {}, {1LL << 40, 65'536, true}};
  CHECK(parse_request(to_json(piece)) == piece);
}

TEST_CASE("nonsense and other versions are refused") {
  for (const auto* text :
       {"", "{}", "[]", "7", "\"end\"", "{\"version\":2}",
        "{\"version\":2,\"request\":7}", "{\"version\":2,\"request\":\"x\"}",
        "{\"version\":2,\"request\":\"keep\"}",
        "{\"version\":2,\"request\":\"keep\",\"kept\":7}",
        "{\"version\":1,\"request\":\"end\"}", "{\"request\":\"end\"}"}) {
    CHECK_FALSE(parse_request(text));
    CHECK_FALSE(parse_state(text));
    CHECK_FALSE(parse_launch(text));
  }
}

TEST_CASE("a wrong spec is told in words and without values") {
  LaunchSpec spec = example().spec;
  CHECK(validate(spec));
  SECTION("no program") {
    spec.arguments.clear();
  }
  SECTION("an empty program") {
    spec.arguments = {""};
  }
  SECTION("a NUL in an argument") {
    spec.arguments.push_back(std::string("a\0b", 3));
  }
  SECTION("a name with =") {
    spec.environment = {{"A=B", "secret"}};
  }
  SECTION("an empty name") {
    spec.environment = {{"", "secret"}};
  }
  SECTION("a NUL in a value") {
    spec.environment = {{"A", std::string("secret\0b", 8)}};
  }
  SECTION("no directory") {
    spec.directory.clear();
  }
  SECTION("a file elsewhere") {
    spec.files = {{"../x", "secret"}};
  }
  SECTION("a file that is the directory") {
    spec.files = {{".", "secret"}};
  }
  SECTION("a file without a name") {
    spec.files = {{"", "secret"}};
  }
  SECTION("a negative grace") {
    spec.kill_grace = std::chrono::milliseconds{-1};
  }
  SECTION("no log") {
    spec.log_files = 0;
  }
  auto status = validate(spec);
  REQUIRE_FALSE(status);
  CHECK(status.code() == Errc::invalid_request);
  const auto& message = status.error().message;
  CHECK(message.find("secret") == std::string::npos);
  CHECK(message.find('\n') == std::string::npos);
}
