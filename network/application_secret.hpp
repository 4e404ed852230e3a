#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "messages/result.hpp"

namespace stoker {

/// What the driver, the executors and the workers of one application know, and
/// nobody else: 32 random bytes, made by the driver. Nothing prints it by accident.
/// Memory that held it is wiped.
class ApplicationSecret {
public:
  static constexpr std::size_t size = 32;

  /// Fails with `Errc::failed` if the system has no random numbers.
  static Result<ApplicationSecret> make();

  /// Reads 64 hexadecimal digits. The error does not repeat them.
  static Result<ApplicationSecret> parse(std::string_view hex);

  ApplicationSecret(const ApplicationSecret&) = default;
  ApplicationSecret& operator=(const ApplicationSecret&) = default;
  ~ApplicationSecret();

  /// As 64 hexadecimal digits: for the environment of an executor, and for the
  /// worker that serves its outputs. Not for logs, nor for command lines.
  [[nodiscard]] std::string reveal() const;

  [[nodiscard]] std::span<const std::uint8_t, size> bytes() const noexcept {
    return bytes_;
  }

  /// Takes as long whatever the difference is.
  friend bool operator==(const ApplicationSecret& x,
                         const ApplicationSecret& y) noexcept;

private:
  ApplicationSecret() = default;

  std::array<std::uint8_t, size> bytes_{};
};

} // namespace stoker
