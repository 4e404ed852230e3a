#pragma once

#include <functional>
#include <streambuf>
#include <string>
#include <string_view>

namespace stoker {

/// Standard output or standard error, written to whoever reads it at his pace.
/// An error is never lost: whoever has written asks for it.
class OutputFile {
public:
  /// Called now and then while nobody reads. Returns whether to go on waiting.
  using WhileBlocked = std::function<bool()>;

  /// @param descriptor Stays open for as long as this lives.
  explicit OutputFile(int descriptor, WhileBlocked while_blocked = {});

  /// Writes all of it, after an error nothing. Returns whether it did.
  bool write(std::string_view data);

  /// Why something could not be written, an `errno` value; 0: all was written.
  [[nodiscard]] int error() const noexcept {
    return error_;
  }

  /// "cannot write to standard output: No space left on device", or "its output was
  /// closed".
  [[nodiscard]] std::string error_text() const;

  /// Whoever read it has gone.
  [[nodiscard]] bool is_closed() const noexcept;

private:
  bool wait_for_reader();

  int descriptor_;
  WhileBlocked while_blocked_;
  int error_ = 0;

  /// So many bytes can be written at once where there is room at all.
  std::size_t piece_;
};

/// @throws CommandError if something could not be written; without words where nobody
/// reads it any more, as other programs end
void require_written(const OutputFile& file);

/// Lets a stream write to an OutputFile.
class OutputFileBuffer : public std::streambuf {
public:
  explicit OutputFileBuffer(OutputFile& file) : file_(file) {
  }

protected:
  int overflow(int c) override;
  std::streamsize xsputn(const char* data, std::streamsize size) override;
  int sync() override;

private:
  OutputFile& file_;
  std::string pending_;
};

} // namespace stoker
