#include "embedding/resource_discovery.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <thread>

#include <boost/json.hpp>

#include "process/spawn_attributes.hpp"
#include "process/unique_fd.hpp"
#include "scheduling/common/units.hpp"
#include "scheduling/placement/named_resources.hpp"

extern char** environ;

namespace stoker {

namespace {

namespace json = boost::json;
using Clock = std::chrono::steady_clock;

constexpr std::size_t output_max = 1 << 20;

/// What is wrong, as one line.
struct Problem : std::runtime_error {
  using std::runtime_error::runtime_error;
};

json::value parse(const std::string& text, const std::string& origin) {
  boost::system::error_code error;
  auto result = json::parse(text, error);
  if (error)
    throw Problem{origin + " is not JSON: " + error.message()};
  return result;
}

const json::value& member(const json::value& x, const char* name,
                          const std::string& origin) {
  if (const auto* object = x.if_object())
    if (const auto* value = object->if_contains(name))
      return *value;
  throw Problem{origin + " lacks \"" + name + '"'};
}

std::string text(const json::value& x, const std::string& origin) {
  if (const auto* value = x.if_string())
    return std::string{*value};
  throw Problem{origin + ": names and addresses must be texts"};
}

std::vector<std::string> addresses(const json::value& x,
                                   const std::string& origin) {
  const auto* list = member(x, "addresses", origin).if_array();
  if (list == nullptr)
    throw Problem{origin + ": \"addresses\" must be a list"};
  std::vector<std::string> result;
  for (const auto& address : *list)
    result.push_back(text(address, origin));
  return result;
}

// -- the file -----------------------------------------------------------------

ResourceAddresses read_file(const std::string& path) {
  errno = 0;
  std::ifstream in{path};
  std::string contents(output_max + 1, '\0');
  in.read(contents.data(), static_cast<std::streamsize>(contents.size()));
  contents.resize(static_cast<std::size_t>(in.gcount()));
  if (!in.is_open() || errno != 0)
    throw Problem{"cannot read the resources file " + path + ": "
                  + std::strerror(errno)};
  if (contents.size() > output_max)
    throw Problem{"the resources file " + path + " is too large"};
  auto whole = parse(contents, path);
  const auto* list = whole.if_array();
  if (list == nullptr)
    throw Problem{path + " must hold a list of resources"};
  ResourceAddresses result;
  for (const auto& x : *list) {
    const auto& id = member(x, "id", path);
    // The file may speak of drivers too.
    if (text(member(id, "componentName", path), path) == "spark.worker")
      result[text(member(id, "resourceName", path), path)] = addresses(x, path);
  }
  return result;
}

// -- scripts ------------------------------------------------------------------

/// A program that this one has started.
class Child {
public:
  explicit Child(const std::string& path) : path_(path) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
      throw Problem{"cannot start " + path + ": " + std::strerror(errno)};
    output_ = process::UniqueFd{ends[0]};
    process::UniqueFd input{ends[1]};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, input.get(), STDOUT_FILENO);
    std::string name = path;
    char* arguments[] = {name.data(), nullptr};
    auto error
        = posix_spawn(&pid_, name.c_str(), &actions,
                      process::SpawnAttributes{}.get(), arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (error != 0)
      throw Problem{"cannot start " + path + ": " + std::strerror(error)};
  }

  ~Child() {
    if (pid_ <= 0)
      return;
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }

  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  /// All that it writes until it ends, which has to be well, and in time.
  std::string finish(std::chrono::seconds patience) {
    auto deadline = Clock::now() + patience;
    auto late = path_ + " has not ended after "
                + std::to_string(patience.count()) + " s";
    std::string result;
    char buffer[4096];
    for (;;) {
      auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
          deadline - Clock::now());
      pollfd waiting{output_.get(), POLLIN, 0};
      if (left.count() <= 0
          || poll(&waiting, 1, static_cast<int>(left.count())) == 0)
        throw Problem{late};
      auto size = read(output_.get(), buffer, sizeof buffer);
      if (size < 0 && errno == EINTR)
        continue;
      if (size <= 0)
        break;
      result.append(buffer, static_cast<std::size_t>(size));
      if (result.size() > output_max)
        throw Problem{path_ + " prints too much"};
    }
    // It may have closed its output, and go on.
    int status = 0;
    while (waitpid(pid_, &status, WNOHANG) == 0) {
      if (Clock::now() >= deadline)
        throw Problem{late};
      std::this_thread::sleep_for(std::chrono::milliseconds{2});
    }
    pid_ = -1;
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
      throw Problem{path_ + " failed"};
    return result;
  }

private:
  std::string path_;
  process::UniqueFd output_;
  pid_t pid_ = -1;
};

std::vector<std::string> run_script(const std::string& name,
                                    const std::string& path,
                                    std::chrono::seconds patience) {
  auto output = parse(Child{path}.finish(patience), "what " + path + " prints");
  auto found = text(member(output, "name", path), path);
  if (found != name)
    throw Problem{path + " finds '" + found + "', not '" + name + '\''};
  return addresses(output, path);
}

ResourceAddresses discover(const ResourceDiscovery& plan,
                           std::chrono::seconds script_patience) {
  ResourceAddresses result;
  if (!plan.file.empty())
    result = read_file(plan.file);
  for (const auto& [name, kind] : plan.kinds) {
    if (kind.addresses)
      result[name] = *kind.addresses;
    else if (!kind.script.empty() && !result.contains(name))
      result[name] = run_script(name, kind.script, script_patience);
    if (!kind.amount)
      continue;
    auto wanted = static_cast<std::size_t>(*kind.amount);
    auto& found = result[name];
    if (found.size() < wanted)
      throw Problem{"spark.worker.resource." + name + ".amount is "
                    + std::to_string(wanted) + ", but only "
                    + std::to_string(found.size())
                    + " were found (give a discoveryScript, "
                      "spark.worker.resourcesFile or --resource)"};
    found.resize(wanted);
  }
  std::erase_if(result, [](const auto& x) { return x.second.empty(); });
  if (auto valid = validate(result); !valid)
    throw Problem{valid.error().message};
  return result;
}

} // namespace

Result<ResourceAddresses>
discover_resources(const ResourceDiscovery& plan,
                   std::chrono::seconds script_patience) {
  try {
    return discover(plan, script_patience);
  } catch (const Problem& e) {
    return Error{Errc::failed, e.what()};
  }
}

bool offers_of_file(const ResourceDiscovery& plan) {
  try {
    const auto in_file = read_file(plan.file);
    return std::ranges::any_of(in_file, [&](const auto& x) {
      auto kind = plan.kinds.find(x.first);
      return kind == plan.kinds.end() || !kind->second.addresses;
    });
  } catch (const Problem&) {
    return true;
  }
}

Status add_resource_by_hand(const std::string& text, ResourceDiscovery& plan) {
  auto equals = text.find('=');
  if (equals == 0 || equals == std::string::npos || equals + 1 == text.size())
    return invalid("--resource: '" + text
                   + "' is not NAME=ADDRESS[,ADDRESS...]");
  std::vector<std::string> list;
  std::istringstream in{text.substr(equals + 1)};
  for (std::string address; std::getline(in, address, ',');)
    list.push_back(address);
  plan.kinds[text.substr(0, equals)].addresses = std::move(list);
  return {};
}

Status add_resource_amount(const std::string& text, ResourceAmounts& amounts) {
  auto equals = text.find('=');
  auto amount = equals == std::string::npos
                    ? std::nullopt
                    : parse_count(text.substr(equals + 1));
  if (equals == 0 || !amount || *amount <= 0)
    return invalid("--resource: '" + text + "' is not NAME=AMOUNT");
  amounts[text.substr(0, equals)] = *amount;
  return validate(amounts);
}

} // namespace stoker
