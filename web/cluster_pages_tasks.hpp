#pragma once

// What the CLUSTER PAGES do, by subject: for the actor itself alone (cluster_pages.cpp).

#include <chrono>

#include "gateway/spark_users.hpp"
#include "web/cluster_page_content.hpp"
#include "web/cluster_pages.hpp"

namespace stoker {

using PagesSelf = ClusterPagesActor::stateful_pointer<ClusterPagesState>;

/// How often the master is asked the same at most.
inline constexpr std::chrono::milliseconds ask_pages_every{1000};

/// A master that is busy for longer is not waited for.
inline constexpr std::chrono::milliseconds pages_patience{1000};

/// Whether the copy is that of a leader.
bool leads(const ClusterPagesState& state);

/// Asks the master for what is in no table.
void ask_master(PagesSelf self);

// -- people_pages.cpp -----------------------------------------------------------

/// Answers with a page for people.
void answer_people(PagesSelf self, const AnswerPage& x);

/// Asks the master what a page needs, unless it was asked just now.
void ask_for_page(PagesSelf self, const std::string& target);

/// What pages are made of.
PageSources sources_of(const ClusterPagesState& state);

// -- followed_pages.cpp ---------------------------------------------------------

/// Answers with what changes of a page, from now on.
void answer_live(PagesSelf self, const AnswerPage& x);

/// Sends what has changed to all who follow something.
void show_live_pages(PagesSelf self);

/// Does that soon, once.
void show_soon(PagesSelf self);

// -- rest_pages.cpp -------------------------------------------------------------

/// Whether it is answered out of the copy of the cluster, later, by `answer_rest`; all else
/// is done here.
bool needs_copy(PagesSelf self, const AnswerPage& x, const SparkUser& user);
void answer_rest(PagesSelf self, const AnswerPage& x);

} // namespace stoker
