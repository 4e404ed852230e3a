#include "tests/outputs/support.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <random>
#include <stdexcept>

#include "outputs/output_writer.hpp"
#include "tests/support/catch.hpp"

namespace stoker::test {

using namespace std::chrono_literals;

TaskAttempt attempt_of(int task, int stage) {
  return {StageId{stage}, task, 0};
}

FetchLimits impatient() {
  FetchLimits result;
  result.retry_wait = 20ms;
  result.silence_max = 10s;
  return result;
}

std::string random_bytes(std::size_t bytes, unsigned seed) {
  std::mt19937_64 random{seed};
  std::string result(bytes, '\0');
  for (std::size_t at = 0; at < bytes; at += sizeof(std::uint64_t)) {
    std::uint64_t word = random();
    std::memcpy(result.data() + at, &word, std::min(sizeof word, bytes - at));
  }
  return result;
}

void write_output(const std::string& directory, const TaskAttempt& attempt,
                  const std::vector<std::string>& partitions, int exec_id) {
  auto writer = OutputWriter::open(directory, attempt, exec_id,
                                   static_cast<int>(partitions.size()));
  if (!writer)
    throw std::runtime_error{writer.error().message};
  for (std::size_t i = 0; i < partitions.size(); ++i)
    if (auto good = writer->append(static_cast<int>(i), partitions[i]); !good)
      throw std::runtime_error{good.error().message};
  if (auto done = writer->commit(); !done)
    throw std::runtime_error{done.error().message};
}

std::vector<std::string> files_in(const std::string& directory) {
  std::vector<std::string> result;
  for (const auto& x : std::filesystem::directory_iterator{directory})
    if (auto name = x.path().filename().string();
        name != ".server-id" && name != ".reserved")
      result.push_back(name);
  std::sort(result.begin(), result.end());
  return result;
}

ReadAll read_all(OutputReader reader, std::size_t sources) {
  std::vector<std::string> result(sources);
  for (;;) {
    auto fetched = reader.next();
    if (auto* failed = std::get_if<FetchFailure>(&fetched))
      return *failed;
    if (std::holds_alternative<EndOfOutputs>(fetched))
      return result;
    auto chunk = std::get<OutputChunk>(fetched);
    result.at(chunk.source).append(chunk.bytes.data(), chunk.bytes.size());
  }
}

std::vector<std::string> content_of(const ReadAll& x) {
  if (const auto* failed = std::get_if<FetchFailure>(&x))
    FAIL(failed->text);
  return std::get<std::vector<std::string>>(x);
}

FetchFailure failure_of(const ReadAll& x) {
  REQUIRE(std::holds_alternative<FetchFailure>(x));
  return std::get<FetchFailure>(x);
}

OutputServer from_afar(OutputServer server) {
  server.directory += "-of-another-machine";
  return server;
}

Serving::Serving(OutputLimits of_service) : limits(of_service) {
  restart();
}

void Serving::restart() {
  auto port = service ? service->port() : std::uint16_t{0};
  service.reset();
  auto started
      = OutputService::start("127.0.0.1", port, files.path("outputs"), limits);
  if (!started)
    throw std::runtime_error{started.error().message};
  service = *std::move(started);
  auto served = service->serve(words, secret);
  if (!served)
    throw std::runtime_error{served.error().message};
  server = *served;
}

Child::Child(const std::function<void()>& what) {
  int done[2];
  REQUIRE(::pipe(done) == 0);
  id_ = ::fork();
  if (id_ == 0) {
    what();
    static_cast<void>(::write(done[1], "x", 1));
    for (;;)
      ::pause();
  }
  ::close(done[1]);
  char byte = 0;
  auto n = ::read(done[0], &byte, 1);
  ::close(done[0]);
  REQUIRE(n == 1);
}

Child::~Child() {
  kill();
}

void Child::stop() const {
  ::kill(id_, SIGSTOP);
}

void Child::kill() {
  if (id_ < 0)
    return;
  ::kill(id_, SIGKILL);
  ::waitpid(id_, nullptr, 0);
  id_ = -1;
}

} // namespace stoker::test
