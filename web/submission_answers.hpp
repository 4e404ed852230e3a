#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "messages/driver.hpp"
#include "web/http.hpp"

namespace stoker {

// What Spark's clients read at its REST port
// (org.apache.spark.deploy.rest.SubmitRestProtocolResponse and those that extend it).

/// Says which version of Spark's this server is like.
class SubmissionAnswers {
public:
  explicit SubmissionAnswers(std::string version)
      : version_(std::move(version)) {
  }

  [[nodiscard]] HttpResponse
  created(const SubmitDriverResponse& x,
          const std::vector<std::string>& unknown_fields) const;
  [[nodiscard]] HttpResponse killed(const KillDriverResponse& x) const;
  [[nodiscard]] HttpResponse status(const std::string& id,
                                    const DriverStatusResponse& x) const;
  [[nodiscard]] HttpResponse killed_all(const std::string& message) const;
  [[nodiscard]] HttpResponse cleared(bool success,
                                     const std::string& message) const;
  [[nodiscard]] HttpResponse ready(bool success,
                                   const std::string& message) const;

  /// To what cannot be done.
  [[nodiscard]] HttpResponse error(unsigned status,
                                   const std::string& message) const;

  /// To who speaks another version of the protocol than "v1".
  [[nodiscard]] HttpResponse unknown_version(const std::string& version) const;

private:
  std::string version_;
};

} // namespace stoker
