#pragma once

#include <array>
#include <string>
#include <string_view>

#include "messages/result.hpp"

namespace stoker {

/// 256 random bits that give access to whoever knows them.
using WebSecret = std::array<unsigned char, 32>;

/// Fails with `Errc::failed` if the system has no random numbers.
Result<WebSecret> make_web_secret();

/// As 64 hexadecimal digits, for who is meant alone: not for logs.
std::string reveal(const WebSecret& x);

/// The SHA-256 of a secret's text, in hexadecimal digits: what is kept of it. Who learns it
/// does not learn the secret, nor does who measures how long it takes to look it up.
std::string hash_of(std::string_view secret);

/// What only this process can tell of a form: that it made it for this reader and action.
/// @param key this process's own
/// @param reader tells him from all others
std::string form_token(const WebSecret& key, std::string_view reader,
                       std::string_view action);

/// Takes as long whatever the difference is.
bool is_equal(std::string_view token, std::string_view expected);

} // namespace stoker
