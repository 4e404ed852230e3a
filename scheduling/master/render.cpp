#include "scheduling/master/render.hpp"

#include "messages/json_text.hpp"

namespace stoker {

namespace {

/// What only keeps messages in order.
template <class T>
inline constexpr bool is_numbering
    = std::is_same_v<
          T,
          StateQuestion> || std::is_same_v<T, ConnectionStamp> || std::is_same_v<T, EndNumber>;

/// Whether a value says nothing: not set, empty, or nothing to people; inside of
/// a field, false as well.
struct Blank {
  static bool null() {
    return true;
  }
  [[nodiscard]] bool boolean(bool x) const {
    return nested && !x;
  }
  template <class T>
  static bool integer(T) {
    return false;
  }
  static bool floating(double) {
    return false;
  }
  static bool text(std::string_view x) {
    return x.empty();
  }
  template <class T>
  static bool list(const T& xs) {
    return xs.empty();
  }
  template <class T>
  static bool map(const T& xs) {
    return xs.empty();
  }
  template <class T>
  static bool record(const T&) {
    return !has_fields<T> || is_numbering<T>;
  }

  bool nested;
};

template <class T>
void render_value(std::string& out, const T& x);

/// Writes `name=value` for each field that says something.
class FieldWriter {
public:
  FieldWriter(std::string& out, bool nested) : out_(out), nested_(nested) {
  }

  template <class T>
  void add(std::string_view name, const T& value) {
    if (visit_value(value, Blank{nested_}))
      return;
    if (!first_)
      out_ += ' ';
    first_ = false;
    out_.append(name) += '=';
    render_value(out_, value);
  }

private:
  std::string& out_;
  bool nested_;
  bool first_ = true;
};

/// The fields that say something, but for one that is named.
template <class T>
void render_fields(std::string& out, const T& x, bool nested,
                   std::string_view but = {}) {
  FieldWriter fields{out, nested};
  for_each_field(x, [&](auto field, const auto& value) {
    if constexpr (field.is_secret)
      fields.add(field.name, hide_values(value));
    else if (field.name != but)
      fields.add(field.name, value);
  });
}

struct ValueRenderer {
  void null() const {
    out += "null";
  }
  void boolean(bool x) const {
    append_json(out, x);
  }
  template <class T>
  void integer(T x) const {
    append_number(out, x);
  }
  void floating(double x) const {
    append_json(out, x);
  }
  void text(const char* x) const {
    out += x;
  }
  void text(const std::string& x) const {
    // Words of a sentence are held together by quotes.
    if (x.find(' ') == std::string::npos)
      out += x;
    else
      append_json_string(out, x);
  }
  template <class T>
  void list(const std::vector<T>& xs) const {
    out += '[';
    for (const auto& element : xs) {
      if (&element != xs.data())
        out += ' ';
      render_value(out, element);
    }
    out += ']';
  }
  template <class T>
  void map(const std::map<std::string, T>& xs) const {
    out += '{';
    FieldWriter fields{out, true};
    for (const auto& [name, value] : xs)
      fields.add(name, value);
    out += '}';
  }
  template <class T>
  void record(const T& x) const {
    out += '{';
    render_fields(out, x, true);
    out += '}';
  }

  std::string& out;
};

template <class T>
void render_value(std::string& out, const T& x) {
  visit_value(x, ValueRenderer{out});
}

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
