#include "actors/master_files.hpp"

#include <chrono>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "actors/defaults.hpp"
#include "actors/master_actions.hpp"
#include "actors/master_answers.hpp"
#include "messages/caf_error.hpp"
#include "messages/printable.hpp"
#include "scheduling/master/named_files.hpp"

namespace stoker {

namespace {

constexpr std::chrono::minutes looked_at_every{1};

const char* const no_files = "this master keeps no files of commands";

/// Passes a question on, unless there are too many.
template <class Answer, class Question, class Then>
caf::result<Answer> ask_files(MasterSelf self, const std::string& identity,
                              Question&& x, Then then) {
  auto& state = self->state;
  if (!state.services.files)
    return caf::make_error(Errc::not_found, std::string{no_files});
  if (!state.open_pieces.has_place_for(identity))
    // With this code whoever asks tries again.
    return caf::make_error(Errc::not_alive,
                           std::string{"the master is busy with other files"});
  state.open_pieces.take(identity);
  auto promise = self->make_response_promise<Answer>();
  self->request(state.services.files, caf::infinite, std::forward<Question>(x))
      .then(
          [self, promise, then, identity](Answer& y) mutable {
            self->state.open_pieces.release(identity);
            then(y);
            promise.deliver(std::move(y));
          },
          [self, promise, identity](caf::error& e) mutable {
            self->state.open_pieces.release(identity);
            promise.deliver(passed_on(std::move(e), "what keeps files"));
          });
  return promise;
}

Status have_all(MasterSelf self, const std::vector<CommandFile>& files,
                const std::string& owner) {
  auto& state = self->state;
  for (const auto& x : files)
    if (!state.files.contains({owner, x.sha256}))
      return Error{Errc::not_found, "the file '" + printable(x.name)
                                        + "' is not here: send it first"};
  for (const auto& x : files)
    state.files.use({owner, x.sha256}, state.clock->now());
  return {};
}

/// Those of its end's hook, too.
template <class Description>
Status have_all_of(MasterSelf self, const Description& x, const Speaker& who) {
  static const std::vector<CommandFile> none;
  const auto& hook = x.on_end ? x.on_end->command.files : none;
  if (x.command.files.empty() && hook.empty())
    return {};
  auto owner = file_owner(who.identity);
  auto result = have_all(self, x.command.files, owner);
  return result ? have_all(self, hook, owner) : result;
}

} // namespace

void open_files(MasterSelf self, const std::function<void()>& then) {
  auto& state = self->state;
  if (!state.services.files)
    return then();
  self->request(state.services.files, caf::infinite, OpenFiles{})
      .then(
          [self, then](const FilesFound& x) {
            auto& own = self->state;
            own.files.reset(x.files, own.clock->now());
            if (!std::exchange(own.looks_at_files, true))
              self->delayed_send(self, looked_at_every, CheckFiles{});
            then();
          },
          // It ends with this actor.
          [](const caf::error&) {});
}

caf::result<StoreFileResponse> store_file(MasterSelf self, StoreFilePart x,
                                          const Speaker& who) {
  if (in_standby(self))
    return refusal_of_standby(self);
  x.identity = who.identity;
  FileKey key{file_owner(who.identity), x.sha256};
  auto bytes = x.bytes;
  // It does not go before the answer is there.
  self->state.files.use(key, self->state.clock->now());
  return ask_files<StoreFileResponse>(
      self, who.identity, std::move(x),
      [self, key, bytes](const StoreFileResponse& y) {
        if (!y.problem && y.stored == bytes)
          self->state.files.add(key, self->state.clock->now());
      });
}

caf::result<FilePart> fetch_file(MasterSelf self, const FetchFilePart& x,
                                 const Speaker& who) {
  if (in_standby(self))
    return refusal_of_standby(self);
  auto identity = owner_of_file(cluster_of(self).state(), x, who);
  if (!identity) {
    note_refusal(self, std::string{message_name<FetchFilePart>} + ": "
                           + identity.error().message);
    return to_caf_error(identity.error());
  }
  ReadFile question{{file_owner(*identity), x.sha256}, x.offset, x.limit};
  return ask_files<FilePart>(self, who.identity, std::move(question),
                             [](const FilePart&) {});
}

Status have_files(MasterSelf self, const RegisterApplication& x,
                  const Speaker& who) {
  const auto& applications = cluster_of(self).state().applications;
  if (in_standby(self) || x.app_id || applications.find_by_driver(x.driver)
      || applications.find_ended_by_driver(x.driver) != nullptr)
    return {};
  return have_all_of(self, x.description, who);
}

Status have_files(MasterSelf self, const RequestSubmitDriver& x,
                  const Speaker& who) {
  const auto& drivers = cluster_of(self).state().drivers;
  if (in_standby(self)
      || (!x.submission.empty() && drivers.find_by_submission(x.submission)))
    return {};
  return have_all_of(self, x.driver_description, who);
}

void check_files(MasterSelf self) {
  auto& state = self->state;
  self->delayed_send(self, looked_at_every, CheckFiles{});
  if (in_standby(self))
    return;
  auto now = state.clock->now();
  std::map<std::string, std::string> owners;
  for_each_named_file(cluster_of(self).state(),
                      [&](const std::string& identity, const CommandFile& x) {
                        auto& owner = owners[identity];
                        if (owner.empty())
                          owner = file_owner(identity);
                        state.files.use({owner, x.sha256}, now);
                      });
  self->send(state.services.files, RemoveFiles{state.files.take_old(now)});
}

} // namespace stoker
