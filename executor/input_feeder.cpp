#include "executor/input_feeder.hpp"

#include <utility>

namespace stoker::executor {

InputFeeder::InputFeeder(std::unique_ptr<InputSource> source)
    : source_(std::move(source)),
      state_(source_ ? Feeding::pipe_full : Feeding::finished) {
}

int InputFeeder::open() {
  return source_ ? open_pipe(pipe_, OwnEnd::write) : 0;
}

Status InputFeeder::feed() {
  if (checking_)
    return check();
  if (state_ == Feeding::finished)
    return {};
  auto fed = source_->feed(pipe_.write_end.get());
  if (!fed) {
    give_up();
    return std::move(fed).error();
  }
  bytes_ += fed->bytes;
  // There is more than fits before the program runs.
  if (fed->state == Feeding::pipe_full && pipe_.read_end)
    enlarge_pipe(pipe_.write_end.get());
  state_ = fed->state;
  if (state_ == Feeding::closed)
    return stop();
  if (state_ == Feeding::finished)
    give_up();
  return {};
}

Status InputFeeder::stop() {
  if (state_ == Feeding::finished || checking_)
    return {};
  checking_ = true;
  pipe_.write_end.reset();
  return check();
}

pollfd InputFeeder::awaited() const {
  if (state_ == Feeding::pipe_full)
    return {pipe_.write_end.get(), POLLOUT, 0};
  return {state_ == Feeding::waiting ? source_->descriptor() : -1, POLLIN, 0};
}

Status InputFeeder::check() {
  auto state = source_->check();
  if (state && *state == Feeding::waiting) {
    state_ = Feeding::waiting;
    return {};
  }
  give_up();
  if (!state)
    return std::move(state).error();
  return {};
}

void InputFeeder::give_up() {
  state_ = Feeding::finished;
  checking_ = false;
  pipe_.write_end.reset();
  source_.reset();
}

} // namespace stoker::executor
