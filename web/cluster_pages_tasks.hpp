#pragma once

// What the CLUSTER PAGES do, by subject: for the actor itself alone (cluster_pages.cpp).

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "pages/page.hpp"
#include "pages/table.hpp"
#include "web/cluster_page_content.hpp"
#include "web/cluster_pages.hpp"
#include "web/http_stream.hpp"
#include "web/web_user.hpp"

namespace stoker {

using PagesSelf = ClusterPagesActor::stateful_pointer<ClusterPagesState>;

/// How often the master is asked the same at most.
inline constexpr std::chrono::milliseconds ask_pages_every{1000};

/// How often it is asked for who follows a page though nothing has changed.
inline constexpr std::chrono::milliseconds refresh_pages_every{10'000};

/// A master that is busy for longer is not waited for.
inline constexpr std::chrono::milliseconds pages_patience{1000};

/// Whether the copy is that of a leader.
bool leads(const ClusterPagesState& state);

/// Whether the master has said that it does not lead.
bool stands_by(const ClusterPagesState& state);

/// What those are told who ask while it does not lead: as far as it knows, why.
std::string standby_reason(const ClusterPagesState& state);

/// What a program is answered, made anew when what was answered last does not do any more;
/// compressed for who takes that.
HttpResponse kept_answer(ClusterPagesState& state, const HttpRequest& x,
                         const std::string& target,
                         const std::function<HttpResponse()>& make);

/// Asks the master for what is in no table.
void ask_master(PagesSelf self);

// -- people_pages.cpp -----------------------------------------------------------

/// As "/workers?page=2".
std::string target_of(const HttpRequest& x);

/// Answers with a page for people.
void answer_people(PagesSelf self, const AnswerPage& x);

/// Asks the master what a page needs, unless it was asked just now.
void ask_for_page(PagesSelf self, const std::string& target);

/// The same for who follows a page: when something has changed, and now and then, since some
/// of it goes on with time alone.
void refresh_page(PagesSelf self, const std::string& target);

/// What surrounds a page that somebody has asked for. Whom nobody knows is not told where the
/// master is.
pages::Frame frame_of(const ClusterPagesState& state, const AnswerPage& x);
pages::Frame frame_of(const ClusterPagesState& state, const HttpRequest& x);

/// Leads from what is not there to what the history has of it.
std::vector<pages::Fact> links_to_history(const std::string& id);

/// Why there is no page, in a sentence: what it would be of is not known.
std::string missing_sentence(const PageAddress& address);

/// What pages are made of.
PageSources sources_of(const ClusterPagesState& state);

// -- followed_pages.cpp ---------------------------------------------------------

/// Answers with what changes of a page, from now on.
void answer_live(PagesSelf self, const AnswerPage& x);

/// Sends what has changed to all who follow something.
void show_live_pages(PagesSelf self);

/// Does that soon, once.
void show_soon(PagesSelf self);

/// Sends the next events to one who has read those that he was sent.
void show_more_events(PagesSelf self, const HttpStream& to);

// -- shown_answers.cpp ----------------------------------------------------------

/// Answers when the copy has all that was committed before.
void answer_when_shown(PagesSelf self, const AnswerWhenShown& x);

/// Answers those for whom the copy has come far enough.
void answer_shown(ClusterPagesState& state);

// -- login_pages.cpp ------------------------------------------------------------

/// Answers what is about links and sessions. False: it is not.
bool answer_login(PagesSelf self, const AnswerPage& x);

// -- kill_pages.cpp -------------------------------------------------------------

/// Whether it is about ending something.
bool is_of_kill(const HttpRequest& x);

/// Asks whether that is meant, or does it.
/// @pre `is_of_kill`; there is an observation, and a user
void answer_kill(PagesSelf self, const AnswerPage& x);

/// What leads there, on the page of what this reader may end.
std::optional<pages::Section> kill_section(const ClusterPagesState& state,
                                           const PageAddress& address,
                                           const WebUser& user);

// -- spark_pages.cpp ------------------------------------------------------------

/// Whether it ends something at an address of Spark's pages; only by POST.
bool is_spark_order(const HttpRequest& x);

/// Whether it is at an address that pages of Spark's master have, and ours have elsewhere.
bool is_of_spark_page(const HttpRequest& x);

/// @pre `is_of_spark_page`; there is an observation, and a user
void answer_spark_page(PagesSelf self, const AnswerPage& x);

// -- proxy_pages.cpp ------------------------------------------------------------

/// Whether it is about the page of a program.
bool is_of_proxy(const HttpRequest& x);

/// Whether it takes a form at the address that it is read from.
bool takes_form(const HttpRequest& x);

/// Answers with what the page of a program answers, if the reader may end that program.
/// @pre `is_of_proxy`; there is an observation, and a user
void answer_proxy(PagesSelf self, const AnswerPage& x);

// -- rest_pages.cpp -------------------------------------------------------------

/// Whether it is answered out of the copy of the cluster, later, by `answer_rest`; all else
/// is done here.
/// @pre there is a user
bool needs_copy(PagesSelf self, const AnswerPage& x);
void answer_rest(PagesSelf self, const AnswerPage& x);

} // namespace stoker
