#include "tools/simulation/attempt.hpp"

#include <array>
#include <cstring>
#include <iostream>
#include <stdexcept>
#include <string>

#include <sys/wait.h>
#include <unistd.h>

#include "simulation/shrink.hpp"

namespace stoker::simulation {

namespace {

constexpr int violated = 1;
constexpr std::size_t shrinking_attempts = 400;

std::string read_all(int file) {
  std::string result;
  std::array<char, 4096> buffer{};
  for (ssize_t n = 0; (n = ::read(file, buffer.data(), buffer.size())) > 0;)
    result.append(buffer.data(), static_cast<std::size_t>(n));
  return result;
}

[[noreturn]] void run_and_exit(const Scenario& scenario, int out) {
  auto result = run(scenario);
  if (!result.violation)
    ::_exit(0);
  const auto& text = *result.violation;
  auto written = ::write(out, text.data(), text.size());
  ::_exit(written < 0 ? 2 : violated);
}

} // namespace

std::optional<std::string> attempt(const Scenario& scenario) {
  std::array<int, 2> pipe{};
  if (::pipe(pipe.data()) != 0)
    throw std::runtime_error{"no pipe can be made: "
                             + std::string{std::strerror(errno)}};
  auto child = ::fork();
  if (child < 0)
    throw std::runtime_error{"no process can be started: "
                             + std::string{std::strerror(errno)}};
  if (child == 0)
    run_and_exit(scenario, pipe[1]);
  ::close(pipe[1]);
  auto text = read_all(pipe[0]);
  ::close(pipe[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
    return std::nullopt;
  if (WIFSIGNALED(status))
    return std::string{"the program was ended by signal "}
           + ::strsignal(WTERMSIG(status)) + ", see above";
  return text;
}

std::string kind_of(const std::string& violation) {
  std::string result;
  for (auto c : violation.substr(0, violation.find(" (after ")))
    if ((c >= 'a' && c <= 'z') || c == ' ')
      result += c;
  return result;
}

void report_failure(const Scenario& scenario, const std::string& violation,
                    bool reduce, const std::function<bool()>& is_over) {
  std::cout << "seed " << scenario.seed << ": " << violation << std::endl;
  auto small = scenario;
  if (reduce)
    small = shrink(
        scenario,
        [&, kind = kind_of(violation)](const Scenario& x) {
          if (is_over())
            return false;
          auto found = attempt(x);
          return found && kind_of(*found) == kind;
        },
        shrinking_attempts);
  auto found = attempt(small);
  std::cout << "# " << found.value_or("the violation is gone") << '\n'
            << to_text(small) << std::flush;
}

} // namespace stoker::simulation
