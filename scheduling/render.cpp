#include "scheduling/render.hpp"

#include "messages/json.hpp"
#include "messages/secrets.hpp"

namespace stoker {

namespace {

namespace json = boost::json;

/// What says nothing: not set, or empty; inside of a field, false as well.
bool is_blank(const json::value& x, bool nested) {
  return x.is_null() || (nested && x.is_bool() && !x.get_bool())
         || (x.is_string() && x.get_string().empty())
         || (x.is_array() && x.get_array().empty())
         || (x.is_object() && x.get_object().empty());
}

std::string render_value(const json::value& x);

/// `field=value` for each field that says something.
std::string render_fields(const json::object& fields, bool nested = false) {
  std::string result;
  for (const auto& [name, value] : fields)
    if (!is_blank(value, nested))
      result += (result.empty() ? "" : " ") + std::string{name} + '='
                + render_value(value);
  return result;
}

std::string render_value(const json::value& x) {
  // Words of a sentence are held together by quotes.
  if (x.is_string() && x.get_string().find(' ') == json::string_view::npos)
    return std::string{x.get_string()};
  if (x.is_object())
    return '{' + render_fields(x.get_object(), true) + '}';
  if (!x.is_array())
    return json::serialize(x);
  std::string result;
  for (const auto& element : x.get_array())
    result += (result.empty() ? "" : " ") + render_value(element);
  return '[' + result + ']';
}

template <class T>
std::string render(const T& x) {
  auto whole = to_json(x);
  hide_secrets(whole);
  auto fields = render_fields(whole.as_object());
  return message_name<T> + (fields.empty() ? "" : ' ' + fields);
}

/// Which record, and its state.
struct ChangeRenderer {
  std::string operator()(const StoredWorker& x) const {
    return x.id.value + ' ' + to_string(x.state);
  }
  std::string operator()(const StoredApplication& x) const {
    return x.id.value + ' ' + to_string(x.state);
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
  std::string operator()(const Send& x) const {
    return "to " + x.to.value + ": "
           + std::visit([](const auto& y) { return render(y); }, x.message);
  }
  std::string operator()(const StartExecutor& x) const {
    auto fields = to_json(x).as_object();
    fields.stable_erase(fields.find("to"));
    return "to " + x.to.value + ": LaunchExecutor " + render_fields(fields);
  }
  std::string operator()(const StartDriver& x) const {
    auto fields = to_json(x).as_object();
    fields.stable_erase(fields.find("to"));
    return "to " + x.to.value + ": LaunchDriver " + render_fields(fields);
  }
  std::string operator()(const Reply& x) const {
    return std::visit(*this, x.answer);
  }
  std::string operator()(bool x) const {
    return x ? "reply true" : "reply false";
  }
  template <class Response>
  std::string operator()(const Response& x) const {
    return "reply " + render(x);
  }
  std::string operator()(const Persist& x) const {
    std::string result = "store";
    for (const auto& change : x.changes)
      result += (result.size() > 5 ? ", " : " ") + to_string(change);
    return result;
  }
  std::string operator()(const WakeAt& x) const {
    return "wake at " + std::to_string(to_ms(x.when)) + "ms";
  }
};

} // namespace

std::string to_string(const Event& x) {
  return std::visit([](const auto& y) { return render(y); }, x);
}

std::string to_string(const Change& x) {
  return std::visit(ChangeRenderer{}, x);
}

std::string to_string(const Effect& x) {
  return std::visit(Renderer{}, x);
}

} // namespace stoker
