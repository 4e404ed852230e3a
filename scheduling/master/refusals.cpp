#include "scheduling/master/refusals.hpp"

#include <utility>
#include <variant>

#include "scheduling/master/log_fields.hpp"

namespace stoker {

namespace {

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
              LogFields{}.add("worker", x.id.value).add("host", x.host),
              failed->message);
  }

  std::optional<Refusal> operator()(const RegisterApplication& x) const {
    const auto* removed = find_sent<ApplicationRemoved>(result, x.driver);
    if (removed == nullptr)
      return std::nullopt;
    return of("application",
              LogFields{}
                  .add("name", x.description.name)
                  .add("user", x.description.user),
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
                        .add("name", x.driver_description.name)
                        .add("user", x.driver_description.user),
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
    return {kind, std::string{kind} + ' '
                      + std::move(about).add("reason", why).text()};
  }
};

} // namespace

std::optional<Refusal> refusal_in(const Event& event,
                                  const StepResult& result) {
  return std::visit(RefusalOf{result}, event);
}

} // namespace stoker
