#include "web/output_portion.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <memory>
#include <utility>
#include <variant>

#include "actors/end_with.hpp"
#include "actors/failure.hpp"
#include "messages/output_start.hpp"
#include "messages/output_texts.hpp"
#include "messages/printable.hpp"
#include "web/url.hpp"

namespace stoker {

namespace {

using PortionSelf = OutputPortionActor::stateful_pointer<OutputPortionState>;

constexpr std::int64_t portion_max = 64 * 1024;

/// A line that ends farther away is shown in part: it may be most of what there is.
constexpr std::size_t line_rest_max = 4 * 1024;

/// What may be written between two questions.
constexpr std::int64_t slack = 4 * 1024;

constexpr std::chrono::milliseconds portion_patience{10'000};

constexpr std::string_view last_portion = "last";

std::string notice(const std::string& text) {
  return "[stoker] " + printable(text) + "\n";
}

std::string target_of(const ProgramId& program, bool standard_error,
                      const ReadingPlace& place) {
  return output_path(program, standard_error) + "?portion="
         + std::to_string(place.attempt) + '.' + std::to_string(place.offset);
}

std::string own_target(const OutputPortionState& state) {
  const auto& [master, request, after, reply] = state.config;
  if (after)
    return target_of(request.program, request.standard_error, *after);
  return output_path(request.program, request.standard_error)
         + "?portion=" + std::string{last_portion};
}

/// @param next where what follows will be; empty: nothing does
void answer_portion(PortionSelf self, std::string text,
                    const std::string& next) {
  HttpResponse response;
  response.content_type = "text/plain;charset=utf-8";
  response.body = std::make_shared<const std::string>(std::move(text));
  response.fields.emplace_back("Cache-Control", "no-store");
  if (!next.empty())
    response.fields.emplace_back("Link", '<' + next + ">; rel=\"next\"");
  self->state.config.reply->answer(std::move(response));
  self->quit();
}

void go_on_elsewhere(PortionSelf self, std::string text);

void refuse_portion(PortionSelf self, const caf::error& x) {
  auto error = known_error(x);
  // Its worker is lost, and with it what the driver wrote before.
  if (error.code == Errc::not_found && self->state.place.relaunched_as)
    return go_on_elsewhere(self, notice(error.message));
  self->state.config.reply->answer(output_problem(error));
  self->quit();
}

/// A driver that its worker had to give up goes on as another one, elsewhere.
void go_on_elsewhere(PortionSelf self, std::string text) {
  const auto& state = self->state;
  const auto& other = *state.place.relaunched_as;
  // It may have been started more than once by now.
  auto error = state.config.request.standard_error;
  auto start = start_of_output(other, error);
  answer_portion(self, std::move(text) + notice(started_again_text(other)),
                 target_of(other, error, {start.attempt, start.offset}));
}

void end_portion(PortionSelf self, std::string text, const OutputPart& part,
                 ReadingPlace next) {
  const auto& state = self->state;
  const auto& request = state.config.request;
  if (auto why = loss_text(part))
    text += notice(*why);
  if (part.restarts)
    next = {next.attempt + 1, 0};
  else if (std::holds_alternative<ExecutorId>(request.program)
           || state.place.finished)
    return answer_portion(self, std::move(text), {});
  else if (state.place.relaunched_as)
    return go_on_elsewhere(self, std::move(text));
  answer_portion(self, std::move(text),
                 target_of(request.program, request.standard_error, next));
}

void ask_for_portion(PortionSelf self, std::int64_t bytes);

void take_portion(PortionSelf self, OutputPart part) {
  auto& state = self->state;
  const auto& [master, request, after, reply] = state.config;
  // Still below 0: there is no log, yet or for now.
  auto begin = std::max<std::int64_t>(part.position.offset, 0);
  auto size = static_cast<std::int64_t>(part.data.size());
  if (after && begin > after->offset && state.asked_bytes < portion_max)
    return ask_for_portion(self, 2 * (part.end - after->offset) + slack);
  ReadingPlace next{part.position.attempt, begin + size};
  auto known = after ? std::optional{after->offset} : std::nullopt;
  if (known && size == 0)
    next.offset = std::max(next.offset, *known);
  auto text = unread_output(std::move(part.data), begin, known);
  if (part.complete)
    return end_portion(self, std::move(text), part, next);
  if (is_unreadable(part))
    text += notice(part.problem.value_or("it cannot be read now"));
  answer_portion(self, std::move(text),
                 target_of(request.program, request.standard_error, next));
}

/// Counted from its end, so that no program waits for who looks at a page.
void ask_for_portion(PortionSelf self, std::int64_t bytes) {
  auto& state = self->state;
  state.asked_bytes = std::min(bytes, portion_max);
  RequestOutput request;
  request.worker_id = state.worker;
  request.reader = "web-" + std::to_string(self->id());
  request.limit = portion_max;
  auto position = about<OutputPosition>(state.config.request.program);
  position.standard_error = state.config.request.standard_error;
  position.attempt = state.config.after ? state.config.after->attempt : 0;
  position.offset = -state.asked_bytes;
  request.positions = {position};
  self->request(state.config.master, portion_patience, request)
      .then(
          [self](const OutputResponse& x) {
            if (x.parts.empty())
              return answer_portion(self, {}, own_target(self->state));
            take_portion(self, x.parts.front());
          },
          [self](const caf::error& x) { refuse_portion(self, x); });
}

void take_portion_place(PortionSelf self, const OutputPlaceResponse& x) {
  auto& state = self->state;
  state.place = x;
  if (x.worker_id) {
    state.worker = *x.worker_id;
    // Mostly there is nothing new, and a byte is enough to know.
    return ask_for_portion(self, state.config.after ? 1 : portion_max);
  }
  if (x.relaunched_as)
    return go_on_elsewhere(self, {});
  answer_portion(self, {}, x.finished ? std::string{} : own_target(state));
}

template <class Number>
bool read_number(std::string_view x, Number& to) {
  auto [end, error] = std::from_chars(x.data(), x.data() + x.size(), to);
  return error == std::errc{} && end == x.data() + x.size() && to >= 0;
}

} // namespace

std::optional<ReadingPlace> parse_reading_place(std::string_view x) {
  ReadingPlace result;
  auto dot = x.find('.');
  if (dot == std::string_view::npos
      || !read_number(x.substr(0, dot), result.attempt)
      || !read_number(x.substr(dot + 1), result.offset))
    return std::nullopt;
  return result;
}

std::string unread_output(std::string data, std::int64_t begin,
                          std::optional<std::int64_t> known) {
  auto missing = begin - known.value_or(0);
  if (missing <= 0)
    return data.substr(
        std::min(data.size(), static_cast<std::size_t>(-missing)));
  // It begins within a line.
  auto line = data.find('\n');
  if (line < line_rest_max) {
    data.erase(0, line + 1);
    missing += static_cast<std::int64_t>(line) + 1;
  }
  if (!known)
    return notice("earlier output is left out") + data;
  // What was read last may be a line without its end.
  return '\n' + notice(std::to_string(missing) + " bytes are left out here")
         + data;
}

std::optional<std::string> output_portion_of(const HttpRequest& x) {
  return query_value('?' + x.query, "portion");
}

OutputPortionActor::behavior_type output_portion(PortionSelf self,
                                                 OutputPortionConfig config) {
  handle_the_unexpected(self);
  self->state.config = std::move(config);
  end_with(self, self->state.config.master);
  self->request(self->state.config.master, portion_patience,
                about<RequestOutputPlace>(self->state.config.request.program))
      .then(
          [self](const OutputPlaceResponse& x) { take_portion_place(self, x); },
          [self](const caf::error& x) { refuse_portion(self, x); });
  return {[](ReadOn) {}};
}

} // namespace stoker
