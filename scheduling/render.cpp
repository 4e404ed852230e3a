#include "scheduling/render.hpp"

#include "messages/json.hpp"

namespace stoker {

namespace {

std::string render_value(const boost::json::value& x) {
  if (x.is_string())
    return std::string{x.get_string()};
  return boost::json::serialize(x);
}

template <class T>
std::string render(const T& x) {
  std::string result = message_name<T>;
  auto fields = to_json(x).as_object();
  auto defaults = to_json(T{}).as_object();
  for (const auto& [name, value] : fields)
    if (value != defaults.at(name))
      result += ' ' + std::string{name} + '=' + render_value(value);
  return result;
}

} // namespace

std::string to_string(const Event& x) {
  return std::visit([](const auto& y) { return render(y); }, x);
}

std::string to_string(const Effect& x) {
  struct Renderer {
    std::string operator()(const Send& y) const {
      auto text = std::visit([](const auto& z) { return render(z); }, y.message);
      return "to " + y.to.value + ": " + text;
    }
    std::string operator()(const StartExecutor& y) const {
      auto text = "to " + y.to.value + ": LaunchExecutor app_id="
                  + y.app_id.value + " exec_id=" + std::to_string(y.exec_id)
                  + " cores=" + std::to_string(y.cores)
                  + " memory_mb=" + std::to_string(y.memory_mb);
      if (y.index)
        text += " index=" + std::to_string(*y.index);
      return text;
    }
    std::string operator()(const Reply& y) const {
      if (const auto* answer = std::get_if<bool>(&y.answer))
        return *answer ? "reply true" : "reply false";
      return "reply "
             + std::visit(
               [](const auto& z) -> std::string {
                 if constexpr (std::is_same_v<decltype(z), const bool&>)
                   return {};
                 else
                   return render(z);
               },
               y.answer);
    }
    std::string operator()(const WakeAt& y) const {
      return "wake at " + std::to_string(to_ms(y.when)) + "ms";
    }
  };
  return std::visit(Renderer{}, x);
}

} // namespace stoker
