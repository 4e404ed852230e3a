#include "scheduling/master/refusals.hpp"

#include <cstddef>
#include <utility>
#include <variant>

#include "messages/printable.hpp"
#include "scheduling/master/log_fields.hpp"

namespace stoker {

namespace {

/// Nobody has looked at what a refused peer sends, which may send it again and again: no value
/// of it fills a log.
constexpr std::size_t refused_characters_max = 256;

std::string refused_text(const std::string& x) {
  return shortened(x, refused_characters_max);
}

/// What is sent to one as a T.
template <class T>
const T* find_sent(const StepResult& result, const EndpointId& to) {
  for (const auto& x : result.messages)
    if (const auto* sent = std::get_if<Send>(&x); sent && sent->to == to)
      if (const auto* message = std::get_if<T>(&sent->message))
        return message;
  return nullptr;
}

/// Reads one step.
struct RefusalOf {
  const StepResult& result;

  std::optional<Refusal> operator()(const RegisterWorker& x) const {
    const auto* failed = find_sent<RegisterWorkerFailed>(result, x.worker);
    if (failed == nullptr)
      return std::nullopt;
    return of("worker",
              LogFields{}
                  .add("worker", refused_text(x.id.value))
                  .add("host", refused_text(x.host)),
              failed->message);
  }

  std::optional<Refusal> operator()(const RegisterApplication& x) const {
    const auto* removed = find_sent<ApplicationRemoved>(result, x.driver);
    if (removed == nullptr)
      return std::nullopt;
    return of("application",
              LogFields{}
                  .add("name", refused_text(x.description.name))
                  .add("user", refused_text(x.description.user)),
              removed->message);
  }

  std::optional<Refusal> operator()(const RequestSubmitDriver& x) const {
    for (const auto& message : result.messages)
      if (const auto* reply = std::get_if<Reply>(&message))
        if (const auto* answer
            = std::get_if<SubmitDriverResponse>(&reply->answer);
            answer && !answer->success)
          return of("driver",
                    LogFields{}
                        .add("name", refused_text(x.driver_description.name))
                        .add("user", refused_text(x.driver_description.user)),
                    answer->message);
    return std::nullopt;
  }

  template <class Other>
  std::optional<Refusal> operator()(const Other&) const {
    return std::nullopt;
  }

private:
  static Refusal of(std::string_view kind, LogFields&& about,
                    const std::string& why) {
    return {kind,
            std::string{kind} + ' '
                + std::move(about).add("reason", refused_text(why)).text()};
  }
};

} // namespace

std::optional<Refusal> refusal_in(const Event& event,
                                  const StepResult& result) {
  return std::visit(RefusalOf{result}, event);
}

} // namespace stoker
