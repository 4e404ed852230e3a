#pragma once

#include <string>

#include "messages/instant.hpp"
#include "web/cluster_copy.hpp"
#include "web/http.hpp"
#include "web/rest_request.hpp"

namespace stoker {

/// The answers at /api/v1 that a copy of the cluster gives: the same JSON as that of the
/// command line. What is not known gets 404.
class RestAnswers {
public:
  /// @param url how the master calls itself
  /// @pre there is an observation
  RestAnswers(const ClusterCopy& cluster, const std::string& url)
      : cluster_(cluster), url_(url) {
  }

  HttpResponse operator()(const ReadState& x) const;
  HttpResponse operator()(const ReadWorker& x) const;
  HttpResponse operator()(const ReadApplication& x) const;
  HttpResponse operator()(const ReadExecutor& x) const;
  HttpResponse operator()(const ReadDriver& x) const;
  HttpResponse operator()(const ReadSubmission& x) const;

private:
  const ClusterCopy& cluster_;
  const std::string& url_;
};

/// To who asks of what the master does not know.
HttpResponse not_known(const std::string& id);

} // namespace stoker
