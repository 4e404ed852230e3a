# Headers that most sources include are compiled once, and shared by all targets
# that are built with the same options. A source still names what it includes:
# clang-tidy reads it without these.
set(STOKER_PRECOMPILED_SOURCE "${CMAKE_CURRENT_BINARY_DIR}/precompiled.cpp")
file(GENERATE OUTPUT "${STOKER_PRECOMPILED_SOURCE}" CONTENT "")

# stoker_precompiled(<name> HEADERS ... LINKS ...) declares a set of headers,
# for `stoker_precompile`.
function (stoker_precompiled name)
  cmake_parse_arguments(ARG "" "" "HEADERS;LINKS" ${ARGN})
  add_library(precompiled_${name} OBJECT "${STOKER_PRECOMPILED_SOURCE}")
  target_link_libraries(precompiled_${name} PRIVATE stoker_options ${ARG_LINKS})
  target_precompile_headers(precompiled_${name} PRIVATE ${ARG_HEADERS})
endfunction ()

# Builds a target with a set of precompiled headers.
function (stoker_precompile target name)
  if (STOKER_PRECOMPILE)
    target_precompile_headers(${target} REUSE_FROM precompiled_${name})
  endif ()
endfunction ()

if (STOKER_PRECOMPILE)
  set(STOKER_CORE_HEADERS
    <algorithm> <chrono> <cstdint> <deque> <functional> <map> <memory> <optional>
    <set> <string> <string_view> <unordered_map> <utility> <variant> <vector>
    <boost/describe.hpp> <boost/json.hpp> <caf/optional.hpp>)
  stoker_precompiled(core
    HEADERS ${STOKER_CORE_HEADERS}
    LINKS Boost::headers Boost::json CAF::core)
  stoker_precompiled(actors
    HEADERS
      ${STOKER_CORE_HEADERS}
      <caf/actor_cast.hpp> <caf/replies_to.hpp> <caf/scoped_actor.hpp>
      <caf/send.hpp> <caf/stateful_actor.hpp> <caf/typed_event_based_actor.hpp>
      <caf/typed_response_promise.hpp> <spdlog/spdlog.h>
    LINKS Boost::headers Boost::json CAF::core spdlog::spdlog)
endif ()
