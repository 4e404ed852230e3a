# Installs the library as the CMake package `Stoker`, and the command line.
