# SPDX-License-Identifier: Apache-2.0
#
# What `make install` lays out. lib/ is lib/ on every system, so that the
# command finds the recorder at ../lib.
set(CMAKE_INSTALL_LIBDIR lib CACHE STRING "Folder of libraries")
include(GNUInstallDirs)
