# SPDX-License-Identifier: Apache-2.0
#
# Find the packages of the parts that are built. If some are missing, stop with
# one line that names them and the command that installs them.
set(missing)
set(tiers)

# tally_need(TIER VARIABLE PACKAGE) notes the Debian package PACKAGE as missing
# if VARIABLE is false; TIER is its tier in scripts/packages.txt.
macro(tally_need tier variable package)
  if(NOT ${variable})
    list(APPEND missing ${package})
    list(APPEND tiers ${tier})
  endif()
endmacro()

# tally_need_modules(TIER PREFIX PACKAGE MODULE...) finds modules of pkg-config.
macro(tally_need_modules tier prefix package)
  if(PKG_CONFIG_FOUND)
    pkg_check_modules(${prefix} QUIET IMPORTED_TARGET ${ARGN})
  endif()
  tally_need(${tier} ${prefix}_FOUND ${package})
endmacro()

if(TALLY_BUILD_TOOL OR TALLY_BUILD_TESTS OR TALLY_BUILD_BENCH)
  find_package(PkgConfig QUIET)
  tally_need(build PKG_CONFIG_FOUND pkg-config)
endif()
if(TALLY_BUILD_RECORDER)
  find_path(SDT sys/sdt.h) # macros alone: recorder/samples/samples.c
  tally_need(build SDT systemtap-sdt-dev)
endif()
if(TALLY_BUILD_TOOL)
  tally_need_modules(build DW libdw-dev libdw)
  tally_need_modules(build ELF libelf-dev libelf)
  tally_need_modules(build CURSES libncurses-dev ncursesw)
  tally_need_modules(build ZLIB zlib1g-dev zlib)
  tally_need_modules(build YAML libyaml-dev yaml-0.1)
  # Loaded when they are used: tool/web, tool/http.
  tally_need_modules(build MICROHTTPD libmicrohttpd-dev libmicrohttpd)
  tally_need_modules(build CURL libcurl4-openssl-dev libcurl)
  find_library(LIBERTY iberty)
  tally_need(build LIBERTY libiberty-dev)
  if(TALLY_BUILD_ATTACH)
    find_library(ZYDIS Zydis)
    tally_need(build ZYDIS libzydis-dev)
  else()
    unset(ZYDIS CACHE)
  endif()
  find_program(TALLY_ESBUILD esbuild)
  tally_need(build TALLY_ESBUILD esbuild)
  find_path(TALLY_D3 d3-array PATHS /usr/share/nodejs NO_DEFAULT_PATH)
  tally_need(build TALLY_D3 node-d3)
endif()
if(TALLY_BUILD_TESTS)
  tally_need_modules(test CMOCKA libcmocka-dev cmocka)
  tally_need_modules(test UNWIND libunwind-dev libunwind)
  find_program(TALLY_CXX NAMES ${CMAKE_CXX_COMPILER} $ENV{CXX} c++ g++)
  tally_need(test TALLY_CXX g++)
endif()

if(missing)
  list(REMOVE_DUPLICATES missing)
  list(REMOVE_DUPLICATES tiers)
  list(JOIN missing ", " missing)
  list(JOIN tiers " " tiers)
  # A space at the beginning keeps the message in one line.
  message(FATAL_ERROR " tally: missing Debian packages: ${missing}; to install "
                      "them, run: scripts/install-deps ${tiers}")
endif()
