# Debian packages, by `cpack` in the build folder: `stoker` for those who run a cluster,
# `stoker-dev` for those who write programs with it.

# What only the package brings: an installation below another prefix leaves the system as it
# is.
set(STOKER_OF_PACKAGE COMPONENT runtime EXCLUDE_FROM_ALL)
install(FILES packaging/systemd/stoker-master.service packaging/systemd/stoker-worker@.service
  DESTINATION /lib/systemd/system ${STOKER_OF_PACKAGE})
install(FILES packaging/etc/master.toml packaging/etc/worker.toml packaging/etc/worker.env
  DESTINATION /etc/stoker ${STOKER_OF_PACKAGE})
install(FILES packaging/debian/copyright
  DESTINATION /usr/share/doc/stoker ${STOKER_OF_PACKAGE})
install(FILES packaging/debian/copyright
  DESTINATION /usr/share/doc/stoker-dev COMPONENT dev EXCLUDE_FROM_ALL)
install(FILES
    examples/tenants.toml
    examples/monitoring/alerts.yml
    examples/monitoring/alerts_test.yml
    examples/monitoring/grafana.json
    examples/wordcount/wordcount.json
    packaging/container/Containerfile
    packaging/container/compose.yml
    packaging/journald/journald@stoker.conf
  DESTINATION /usr/share/doc/stoker/examples ${STOKER_OF_PACKAGE})
install(FILES packaging/logrotate/stoker RENAME logrotate
  DESTINATION /usr/share/doc/stoker/examples ${STOKER_OF_PACKAGE})

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME stoker)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "cluster master that shares machines")
set(CPACK_PACKAGE_CONTACT "The authors of Stoker <stoker@localhost>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_PACKAGE_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}/packages")
set(CPACK_PRE_BUILD_SCRIPTS "${CMAKE_CURRENT_SOURCE_DIR}/cmake/StokerPackageRights.cmake")
set(CPACK_COMPONENTS_ALL runtime dev)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME stoker)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SECTION admin)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_DEPENDS adduser)
set(CPACK_DEBIAN_RUNTIME_DESCRIPTION
"Stoker shares machines between the programs of several people. It finds a
machine with cores and memory for a program, starts it there, brings its output
back, starts it again when a machine is lost, and ends whatever it started.

Nothing starts by itself: a machine may have a master, workers, or only users.")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_CONTROL_EXTRA
    "${CMAKE_CURRENT_SOURCE_DIR}/packaging/debian/postinst"
    "${CMAKE_CURRENT_SOURCE_DIR}/packaging/debian/prerm"
    "${CMAKE_CURRENT_SOURCE_DIR}/packaging/debian/postrm"
    "${CMAKE_CURRENT_SOURCE_DIR}/packaging/debian/conffiles")

# Static libraries: whoever links them needs what they were compiled with.
set(CPACK_DEBIAN_DEV_PACKAGE_NAME stoker-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
string(CONCAT CPACK_DEBIAN_DEV_PACKAGE_DEPENDS
  "stoker (= ${PROJECT_VERSION}), libboost${STOKER_BOOST}-dev, "
  "libboost-json${STOKER_BOOST}-dev, libcaf-dev, libspdlog-dev, libsqlite3-dev, "
  "libsqlitecpp-dev, libssl-dev, libctemplate-dev, prometheus-cpp-dev, "
  "zlib1g-dev")
set(CPACK_DEBIAN_DEV_DESCRIPTION
"This package has headers, static libraries and the CMake package Stoker, for
programs that have a cluster or an application of their own inside.")

include(CPack)
