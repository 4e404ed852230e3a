#pragma once

#include <functional>
#include <optional>
#include <string>

#include <caf/replies_to.hpp>
#include <caf/typed_event_based_actor.hpp>

namespace stoker {

/// The version of the Spark in a directory of this machine; none: there is no Spark. May
/// take as long as the directory's disk does.
using VersionOfHome
    = std::function<std::optional<std::string>(const std::string& directory)>;

/// The HOME READER answers one question of which version the Spark in a directory is, and
/// ends: empty for none. To be spawned with a thread of its own, and asked with a time-out: a
/// disk may hang.
using HomeReaderActor
    = caf::typed_actor<caf::replies_to<std::string>::with<std::string>>;

HomeReaderActor::behavior_type home_reader(HomeReaderActor::pointer self,
                                           VersionOfHome look);

} // namespace stoker
