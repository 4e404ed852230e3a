#include "scheduling/master/render.hpp"

#include "scheduling/common/render_fields.hpp"

namespace stoker {

namespace {

/// The message's name and its fields.
template <class T>
void render(std::string& out, const T& x) {
  out += message_name<T>;
  out += ' ';
  auto size = out.size();
  render_fields(out, x, false);
  if (out.size() == size)
    out.pop_back();
}

/// Which record, and its state.
struct ChangeRenderer {
  std::string operator()(const StoredWorker& x) const {
    return x.id.value + ' ' + to_string(x.state);
  }
  std::string operator()(const StoredApplication& x) const {
    return x.id.value + ' ' + to_string(x.state);
  }
  std::string operator()(const StoredInstance& x) const {
    return x.app_id.value + '#' + std::to_string(x.index)
           + (x.done ? " done"
                     : " failed " + std::to_string(x.failures) + " times");
  }
  std::string operator()(const StoredExecutor& x) const {
    return to_string(ExecutorId{x.app_id, x.exec_id}) + ' ' + to_string(x.state)
           + (x.ending ? " (ending)" : "");
  }
  std::string operator()(const StoredDriver& x) const {
    return x.id.value + ' ' + to_string(x.state);
  }
  std::string operator()(const StoredCompany& x) const {
    return "company " + x.name;
  }
  std::string operator()(const StoredUser& x) const {
    return "user " + x.name;
  }
  std::string operator()(const StoredCounters&) const {
    return "counters";
  }
  std::string operator()(const ClusterConfig&) const {
    return "configuration";
  }
  std::string operator()(const EraseWorker& x) const {
    return "no " + x.id.value;
  }
  std::string operator()(const EraseApplication& x) const {
    return "no " + x.id.value;
  }
  std::string operator()(const EraseInstancesOf& x) const {
    return "no instance of " + x.app_id.value;
  }
  std::string operator()(const EraseExecutor& x) const {
    return "no " + to_string(x.id);
  }
  std::string operator()(const EraseExecutorsOf& x) const {
    return "no executor of " + x.app_id.value;
  }
  std::string operator()(const EraseDriver& x) const {
    return "no " + x.id.value;
  }
  std::string operator()(const EraseUser& x) const {
    return "no user " + x.name;
  }
};

struct Renderer {
  void operator()(const Send& x) const {
    to(x.to);
    std::visit([this](const auto& y) { render(out, y); }, x.message);
  }
  void operator()(const StartExecutor& x) const {
    to(x.to);
    out += "LaunchExecutor ";
    render_fields(out, x, false, "to");
  }
  void operator()(const StartDriver& x) const {
    to(x.to);
    out += "LaunchDriver ";
    render_fields(out, x, false, "to");
  }
  void operator()(const Reply& x) const {
    out += "reply ";
    std::visit(*this, x.answer);
  }
  void operator()(bool x) const {
    append_json(out, x);
  }
  template <class Response>
  void operator()(const Response& x) const {
    render(out, x);
  }
  void store(const Changes& changes) const {
    out += "store";
    auto separator = " ";
    for (const auto& change : changes) {
      out += separator;
      out += to_string(change);
      separator = ", ";
    }
  }
  void wake_at(Instant when) const {
    out += "wake at ";
    append_number(out, to_ms(when));
    out += "ms";
  }

  void to(const EndpointId& x) const {
    out.append("to ").append(x.value).append(": ");
  }

  std::string& out;
};

} // namespace

void for_each_line(const StepResult& x,
                   const std::function<void(std::string_view line)>& line) {
  std::string text;
  Renderer renderer{text};
  auto finish = [&] {
    line(text);
    text.clear();
  };
  if (!x.changes.empty()) {
    renderer.store(x.changes);
    finish();
  }
  for (const auto& message : x.messages) {
    std::visit(renderer, message);
    finish();
  }
  if (x.wake_at) {
    renderer.wake_at(*x.wake_at);
    finish();
  }
}

std::vector<std::string> to_lines(const StepResult& x) {
  std::vector<std::string> result;
  for_each_line(x, [&](std::string_view line) { result.emplace_back(line); });
  return result;
}

std::string to_string(const Event& x) {
  std::string result;
  std::visit([&](const auto& y) { render(result, y); }, x);
  return result;
}

std::string to_string(const Change& x) {
  return std::visit(ChangeRenderer{}, x);
}

std::string to_string(const OutgoingMessage& x) {
  std::string result;
  std::visit(Renderer{result}, x);
  return result;
}

} // namespace stoker
