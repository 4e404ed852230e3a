#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>

#include "messages/result.hpp"
#include "tools/stoker/output_spool.hpp"

namespace stoker {

/// Puts what instances write into the order of their indexes. The output of the first instance
/// that is not complete passes at once; that of later instances waits in a file.
class OutputOrder {
public:
  using Write = std::function<void(int index, bool standard_error,
                                   std::string_view data)>;

  /// @param directory The directory of the file.
  /// @param write Called with what is to be written now.
  /// @param ended Called when all output of an instance has been written, before that of the
  /// next one.
  OutputOrder(std::string directory, Write write,
              std::function<void(int index)> ended)
      : spool_(std::move(directory)), write_(std::move(write)),
        ended_(std::move(ended)) {
  }

  /// Takes what instance `index` has written.
  /// @return Fails with `Errc::full` or `Errc::io` if it cannot be kept: it is lost.
  Status output(int index, bool standard_error, std::string_view data);

  /// Takes that no more output of an instance comes.
  /// @return Fails with `Errc::io`.
  Status complete(int index);

  /// Writes all that waits: no more output of any instance comes.
  /// @return Fails with `Errc::io`.
  Status finish();

private:
  Status release(int index);

  OutputSpool spool_;
  Write write_;
  std::function<void(int index)> ended_;

  /// The first instance whose output is not complete.
  int turn_ = 0;

  /// Later instances whose output is complete.
  std::set<int> complete_;
};

} // namespace stoker
