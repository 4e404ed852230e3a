#include "outputs/stored_output.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "outputs/output_names.hpp"

namespace stoker {

Result<StoredOutput> StoredOutput::open(const std::filesystem::path& directory,
                                        const TaskAttempt& attempt) {
  auto index = read_index(directory / index_file_name(attempt), attempt);
  if (!index)
    return std::move(index).error();
  return open(directory,
              std::make_shared<const OutputIndex>(*std::move(index)));
}

Result<StoredOutput>
StoredOutput::open(const std::filesystem::path& directory,
                   std::shared_ptr<const OutputIndex> index) {
  auto path = directory / data_file_name(index->attempt);
  process::UniqueFd data{
      ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW)};
  struct stat status {};
  if (!data || ::fstat(data.get(), &status) != 0)
    return Error{errno == ENOENT ? Errc::not_found : Errc::io,
                 "cannot read the output of " + to_string(index->attempt) + ": "
                     + std::strerror(errno)};
  if (!S_ISREG(status.st_mode)
      || static_cast<std::uint64_t>(status.st_size) != index->data_bytes())
    return Error{Errc::corrupt, "the output of " + to_string(index->attempt)
                                    + " has " + std::to_string(status.st_size)
                                    + " bytes instead of "
                                    + std::to_string(index->data_bytes())};
  return StoredOutput{std::move(index), std::move(data)};
}

Result<std::size_t> StoredOutput::read(std::uint64_t offset,
                                       std::span<char> into) const {
  for (;;) {
    auto n = ::pread(data_.get(), into.data(), into.size(),
                     static_cast<off_t>(offset));
    if (n > 0 || into.empty())
      return static_cast<std::size_t>(n);
    if (n == 0)
      return Error{Errc::corrupt, "the output of " + to_string(index_->attempt)
                                      + " has become shorter"};
    if (errno != EINTR)
      return Error{Errc::io, "cannot read the output of "
                                 + to_string(index_->attempt) + ": "
                                 + std::strerror(errno)};
  }
}

} // namespace stoker
