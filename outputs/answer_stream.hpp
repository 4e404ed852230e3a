#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "messages/ids.hpp"
#include "messages/result.hpp"
#include "outputs/index_cache.hpp"
#include "outputs/output_protocol.hpp"
#include "outputs/stored_output.hpp"

namespace stoker {

/// The bytes that answer a request, made piece by piece: answers of any length take
/// the memory of one piece.
class AnswerStream {
public:
  AnswerStream(AppId app, std::filesystem::path directory, IndexCache& indexes,
               std::vector<OutputRequest> request)
      : app_(std::move(app)), directory_(std::move(directory)),
        indexes_(indexes), request_(std::move(request)) {
  }

  /// The next bytes; 0: that was all. Fails when what was announced cannot be read
  /// after all: the connection has to end then.
  /// @pre room for 4 KiB at least
  Result<std::size_t> fill(std::span<char> into);

private:
  /// Makes `head_` for the next output, and opens it if it is there.
  void begin(const OutputRequest& request);
  void refuse(OutputStatus status, const std::string& why);

  /// What `fill` does for the present output. 0: it is done.
  Result<std::size_t> continue_output(std::span<char> into);

  AppId app_;
  std::filesystem::path directory_;
  IndexCache& indexes_;
  std::vector<OutputRequest> request_;
  std::size_t next_ = 0;

  /// Of the present output: what is yet to be sent of its header, its sizes and its
  /// bytes.
  std::string head_;
  std::optional<StoredOutput> output_;
  std::size_t size_at_ = 0;
  std::size_t size_end_ = 0;
  std::uint64_t data_at_ = 0;
  std::uint64_t data_end_ = 0;
};

} // namespace stoker
