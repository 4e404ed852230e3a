#pragma once

#include <string>
#include <vector>

#include "embedding/job_session.hpp"
#include "messages/result.hpp"

namespace stoker {

/// The directories that a job writes: they are made when it begins, and complete when
/// there is a file `_SUCCESS` in them. Of a job that fails nothing is left.
class OutputDirectories {
public:
  explicit OutputDirectories(const JobWork& work);

  /// Removes those that were created and are not complete.
  ~OutputDirectories();

  OutputDirectories(const OutputDirectories&) = delete;
  OutputDirectories& operator=(const OutputDirectories&) = delete;

  /// Fails if one exists.
  Status create();

  Status complete();
  void remove();

private:
  std::vector<std::string> wanted_;
  std::vector<std::string> created_;
};

} // namespace stoker
