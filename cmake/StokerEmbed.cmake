# stoker_embed(<target> <name> <file>...) makes the files part of the program, as
# stoker::pages::embedded_<name>(). The assembler reads them, so that their size costs the
# compiler nothing.
function (stoker_embed target name)
  set(source "${CMAKE_CURRENT_BINARY_DIR}/embedded_${name}.cpp")
  set(script "${PROJECT_SOURCE_DIR}/cmake/embed.cmake")
  set(form "${PROJECT_SOURCE_DIR}/pages/embedded.cpp.in")
  list(JOIN ARGN "|" files)
  add_custom_command(
    OUTPUT "${source}"
    COMMAND "${CMAKE_COMMAND}" "-DNAME=${name}" "-DFILES=${files}" "-DFORM=${form}"
            "-DSOURCE=${source}" -P "${script}"
    DEPENDS ${ARGN} "${script}" "${form}"
    VERBATIM)
  set_source_files_properties("${source}" PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  target_sources(${target} PRIVATE "${source}")
endfunction ()
