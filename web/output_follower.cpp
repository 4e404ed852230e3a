#include "web/output_follower.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <string_view>
#include <utility>
#include <variant>

#include <caf/actor_cast.hpp>
#include <caf/send.hpp>

#include "actors/end_with.hpp"
#include "actors/failure.hpp"
#include "messages/caf_error.hpp"
#include "messages/following.hpp"
#include "messages/output_start.hpp"
#include "messages/output_texts.hpp"
#include "messages/printable.hpp"
#include "pages/cells.hpp"
#include "web/page_address.hpp"
#include "web/url.hpp"

namespace stoker {

namespace {

using FollowerSelf = OutputFollowerActor::stateful_pointer<OutputFollowerState>;

constexpr std::string_view logs_path = "/logs";

/// What one answer of a worker has at most. The next is asked for when the reader has taken
/// it: of one who reads nothing the master keeps no more.
constexpr std::int64_t portion = 128 * 1024;

/// From its end at least so many bytes of an output are read: 0 would be its start.
constexpr std::int64_t tail_min = 1;

/// How long a worker may take to tell that there is nothing new, and the master to answer
/// besides.
constexpr std::chrono::milliseconds wait{10'000};
constexpr std::chrono::milliseconds place_patience{30'000};

/// Before something is asked again that could not be answered.
constexpr std::chrono::milliseconds pause{300};

/// How often a follower looks whether he for whom it waits is still there.
constexpr std::chrono::milliseconds look_at_reader_every{1000};

std::optional<std::int64_t> bytes_of(const std::string& x) {
  std::int64_t result = 0;
  auto [end, error] = std::from_chars(x.data(), x.data() + x.size(), result);
  if (error != std::errc{} || end != x.data() + x.size() || result < 0)
    return std::nullopt;
  return result;
}

void write(FollowerSelf self, std::string text) {
  self->state.stream->write(
      std::make_shared<const std::string>(std::move(text)));
}

/// A line between those of the program.
void write_notice(FollowerSelf self, const std::string& text) {
  write(self, "[stoker] " + printable(text) + "\n");
}

void tell_of_missing(FollowerSelf self) {
  if (auto text = self->state.missing.take())
    write_notice(self, *text);
}

void finish(FollowerSelf self) {
  tell_of_missing(self);
  self->state.stream->finish();
  self->quit();
}

void read_later(FollowerSelf self) {
  self->delayed_send(self, pause, ReadOn{});
}

/// What is known of an output when it is asked where it is.
enum class OutputKnown {
  /// There is more to read, where it is.
  begun,

  /// All of it was read. The driver may go on elsewhere.
  read,

  /// Its worker is gone, and what was not read with it. The driver may go on elsewhere.
  lost,
};

void find_worker(FollowerSelf self, OutputKnown known);

/// The first starts whose output is no longer kept are passed over; of those that follow
/// each other later, one line tells.
void tell_of_problem(FollowerSelf self, const OutputPart& part) {
  auto& state = self->state;
  auto why = loss_text(part);
  if (!why)
    return;
  auto bytes = part.problem ? part.gone : part.lost;
  if (!part.restarts)
    return write_notice(self, *why);
  if (!state.has_written && bytes == 0)
    return;
  if (auto text = state.missing.add(part.position.attempt, *why, bytes))
    write_notice(self, *text);
}

/// A program's output that its worker cannot read now is not at its end.
void cannot_read_now(FollowerSelf self, const OutputPart& part) {
  if (self->state.config.request.follow)
    return read_later(self);
  write_notice(self, part.problem.value_or("it cannot be read now"));
  self->state.stream->cut_off();
  self->quit();
}

void take(FollowerSelf self, const OutputPart& part) {
  auto& state = self->state;
  if (!part.complete || !part.restarts || !part.problem || !part.data.empty())
    tell_of_missing(self);
  auto is_before_the_tail
      = state.position.offset < 0 && state.config.request.tail == 0;
  if (std::exchange(state.position.attempt, part.position.attempt)
      != part.position.attempt)
    state.position.offset = 0;
  if (auto bytes = no_longer_kept(part, state.position.offset);
      bytes > 0 && state.position.offset > 0)
    write_notice(self, no_longer_kept_text(bytes));
  // A worker may send anything.
  if (auto why = loss_text(part); why && part.gone > 0 && !part.complete)
    write_notice(self, *why);
  // A log that was cut off may end before what was read.
  state.position.offset = std::max(
      state.position.offset,
      part.position.offset + static_cast<std::int64_t>(part.data.size()));
  state.has_written = state.has_written || !part.data.empty();
  if (!part.data.empty() && !is_before_the_tail)
    write(self, part.data);
  if (!part.complete) {
    if (is_unreadable(part))
      return cannot_read_now(self, part);
    if (!state.config.request.follow && state.position.offset >= part.end)
      return finish(self);
    self->send(self, ReadOn{});
    return;
  }
  tell_of_problem(self, part);
  if (!part.restarts)
    return find_worker(self, OutputKnown::read);
  ++state.position.attempt;
  state.position.offset = 0;
  self->send(self, ReadOn{});
}

void take(FollowerSelf self, const OutputResponse& x) {
  if (!x.parts.empty())
    return take(self, x.parts.front());
  // There is nothing new.
  if (!self->state.config.request.follow)
    return finish(self);
  self->send(self, ReadOn{});
}

void tell_of_loss(FollowerSelf self, const std::string& why) {
  if (!std::exchange(self->state.has_told_of_loss, true))
    write_notice(self, lost_with_worker_text(why));
}

/// @param is_of_worker It is a worker's output that cannot be read; else nobody knows where
/// it is.
void cannot_read(FollowerSelf self, const caf::error& error,
                 bool is_of_worker) {
  tell_of_missing(self);
  auto known = known_error(error);
  if (known.code == Errc::not_found && is_of_worker) {
    tell_of_loss(self, known.message);
    return find_worker(self, OutputKnown::lost);
  }
  if (known.code == Errc::not_found) {
    write_notice(self, known.message);
    return finish(self);
  }
  if (self->state.config.request.follow)
    return read_later(self);
  // There is more, which cannot be had now.
  write_notice(self, known.message);
  self->state.stream->cut_off();
  self->quit();
}

void look_at_reader_later(FollowerSelf self) {
  self->delayed_send(self, look_at_reader_every,
                     LookAtReader{self->state.waits});
}

void read_on(FollowerSelf self) {
  auto& state = self->state;
  if (state.stream->is_closed())
    return self->quit();
  if (state.stream->unsent() > 0) {
    state.waits_for_reader = true;
    ++state.waits;
    return look_at_reader_later(self);
  }
  if (!state.worker)
    return find_worker(self, OutputKnown::begun);
  RequestOutput request;
  request.worker_id = *state.worker;
  request.reader = state.reader;
  request.positions = {state.position};
  request.limit = portion;
  request.wait_ms = state.config.request.follow ? wait.count() : 0;
  self->request(state.config.master, wait + place_patience, request)
      .then([self](const OutputResponse& x) { take(self, x); },
            [self](const caf::error& x) { cannot_read(self, x, true); });
}

/// The first answer of the master decides what is answered over HTTP.
void begin_stream(FollowerSelf self) {
  auto& state = self->state;
  if (state.stream)
    return;
  HttpResponse response;
  response.content_type = "text/plain;charset=utf-8";
  response.stream = state.stream = std::make_shared<HttpStream>();
  // It keeps neither the follower nor itself.
  state.stream->on_drained([follower = self->address()] {
    if (auto there = caf::actor_cast<OutputFollowerActor>(follower))
      caf::anon_send(there, ReaderTookAll{});
  });
  state.config.reply->answer(std::move(response));
}

/// Says how a driver has ended that no worker was given.
void tell_of_no_start(FollowerSelf self) {
  const auto& id = std::get<DriverId>(self->state.config.request.program);
  RequestEnds question;
  question.drivers = {id};
  auto tell = [self, id](ProgramEnd end) {
    end.id = id.value;
    write_notice(self, never_started_text(end));
    finish(self);
  };
  self->request(self->state.config.master, place_patience, question)
      .then(
          [tell](const EndsResponse& x) {
            tell(x.ends.empty() ? ProgramEnd{} : x.ends.front());
          },
          [tell](const caf::error&) { tell({}); });
}

void go_on_with(FollowerSelf self, const DriverId& successor) {
  auto& state = self->state;
  write_notice(self, started_again_text(successor));
  auto& request = state.config.request;
  request.program = successor;
  state.position = start_of_output(successor, request.standard_error);
  state.worker.reset();
  state.has_told_of_loss = false;
  read_on(self);
}

void take_place(FollowerSelf self, const OutputPlaceResponse& x,
                OutputKnown known) {
  auto& state = self->state;
  begin_stream(self);
  auto follow = state.config.request.follow;
  if (x.relaunched_as && (known != OutputKnown::begun || !x.worker_id))
    return go_on_with(self, *x.relaunched_as);
  if (known != OutputKnown::begun && (x.finished || !follow))
    return finish(self);
  state.worker = x.worker_id;
  if (!state.worker && x.finished)
    return tell_of_no_start(self);
  if (!state.worker && !follow) {
    write_notice(self, not_placed_yet_text(state.config.request.program));
    return finish(self);
  }
  if (state.worker && known == OutputKnown::begun)
    return read_on(self);
  read_later(self);
}

void find_worker(FollowerSelf self, OutputKnown known) {
  auto& state = self->state;
  // An instance goes on as another executor.
  if (known != OutputKnown::begun
      && std::holds_alternative<ExecutorId>(state.config.request.program))
    return finish(self);
  self->request(state.config.master, place_patience,
                about<RequestOutputPlace>(state.config.request.program))
      .then([=](const OutputPlaceResponse& x) { take_place(self, x, known); },
            [self](const caf::error& x) {
              if (self->state.stream)
                return cannot_read(self, x, false);
              self->state.config.reply->answer(output_problem(known_error(x)));
              self->quit();
            });
}

} // namespace

Error known_error(const caf::error& x) {
  if (x.category() != caf::atom("stoker"))
    return {Errc::no_answer, "the master does not answer"};
  std::string message;
  if (x.context().match_elements<std::string>())
    message = x.context().get_as<std::string>(0);
  return {static_cast<Errc>(x.code()), message};
}

HttpResponse output_problem(const Error& x) {
  return http_problem(x.code == Errc::not_found ? 404 : 503,
                      printable(x.message));
}

std::optional<OutputRequest> parse_output_request(const HttpRequest& x) {
  if (!x.path.starts_with(logs_path))
    return std::nullopt;
  auto rest = std::string_view{x.path}.substr(logs_path.size());
  auto slash = rest.rfind('/');
  if (slash == std::string_view::npos)
    return std::nullopt;
  auto stream = rest.substr(slash + 1);
  auto address = parse_page_address(rest.substr(0, slash));
  if (!address || (stream != "stdout" && stream != "stderr"))
    return std::nullopt;
  OutputRequest result;
  if (const auto* executor = std::get_if<ExecutorPage>(&*address))
    result.program = executor->id;
  else if (const auto* driver = std::get_if<DriverPage>(&*address))
    result.program = driver->id;
  else
    return std::nullopt;
  result.standard_error = stream == "stderr";
  auto query = '?' + x.query;
  result.follow = query_value(query, "follow") == "1";
  if (auto tail = query_value(query, "tail"))
    result.tail = bytes_of(*tail);
  return result;
}

std::string output_path(const ProgramId& program, bool standard_error) {
  return std::string{logs_path}
         + std::visit([](const auto& id) { return pages::href_of(id); },
                      program)
         + (standard_error ? "/stderr" : "/stdout");
}

OutputFollowerActor::behavior_type
output_follower(FollowerSelf self, OutputFollowerConfig config) {
  handle_the_unexpected(self);
  auto& state = self->state;
  state.config = std::move(config);
  end_with(self, state.config.master);
  const auto& request = state.config.request;
  state.reader = "web-" + std::to_string(self->id());
  state.position = start_of_output(request.program, request.standard_error);
  if (request.tail) {
    // Of its last start.
    state.position.attempt = 0;
    state.position.offset = -std::max(*request.tail, tail_min);
  }
  find_worker(self, OutputKnown::begun);
  return {[self](ReadOn) { read_on(self); },
          [self](ReaderTookAll) {
            if (std::exchange(self->state.waits_for_reader, false))
              read_on(self);
          },
          [self](LookAtReader x) {
            if (!self->state.waits_for_reader || x.wait != self->state.waits)
              return;
            if (self->state.stream->is_closed())
              return self->quit();
            look_at_reader_later(self);
          }};
}

} // namespace stoker
