# SPDX-License-Identifier: Apache-2.0
#
# How everything is compiled: the language, the warnings, the sanitizers, and
# where the products lie. bin/ and lib/ are siblings in the build tree as they
# are when installed, because the command finds the recorder at ../lib.

set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_SKIP_BUILD_RPATH ON)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Debug or Release" FORCE)
endif()
set(CMAKE_C_FLAGS_RELEASE "-O2 -g")
set(CMAKE_C_FLAGS_DEBUG "-O0 -g3")
# A sanitizer's code is several times as fast with the first level, and no frame
# of a report is missing.
if(TALLY_SANITIZE)
  set(CMAKE_C_FLAGS_DEBUG "-O1 -g1")
endif()
# What only counts in a release says so and stops in a Debug build.
add_compile_definitions($<$<CONFIG:Debug>:TALLY_DEBUG>)
# format/invariant.h
if(CMAKE_BUILD_TYPE STREQUAL Debug OR TALLY_SANITIZE OR TALLY_BUILD_FUZZERS)
  add_compile_definitions(TALLY_INVARIANTS)
endif()

# lib/ on every system, unless another folder is asked for.
set(CMAKE_INSTALL_LIBDIR lib CACHE STRING "Folder of libraries")
include(GNUInstallDirs)

set(TALLY_BIN_DIR ${CMAKE_BINARY_DIR}/bin)
set(TALLY_LIB_DIR ${CMAKE_BINARY_DIR}/lib)

set(TALLY_WARNINGS
    -Wall
    -Wextra
    -Wconversion
    -Wshadow
    -Wstrict-prototypes
    -Wmissing-prototypes)
if(TALLY_WERROR)
  list(APPEND TALLY_WARNINGS -Werror)
endif()

# Places in the sources are shown as they are named in the repository.
add_compile_options(-fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=)
foreach(folder IN ITEMS format core sampling ports port ledger unwind
                         recorder linked wrapped tool tests)
  add_compile_options(
    -fmacro-prefix-map=${CMAKE_BINARY_DIR}/views/${folder}/=)
endforeach()

# The recorder and the command know registers, frames and instructions of
# x86-64; recorder/processor.h lists what a port needs. libtally, core and
# format are portable.
if(NOT CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64" OR NOT CMAKE_SIZEOF_VOID_P
                                                        EQUAL 8)
  set(unported)
  foreach(part IN ITEMS RECORDER TOOL TESTS)
    if(TALLY_BUILD_${part})
      string(APPEND unported " -DTALLY_BUILD_${part}=OFF")
    endif()
  endforeach()
  if(unported)
    # Spaces at the beginning keep it in one line.
    message(FATAL_ERROR " tally: the recorder and the command need x86-64, "
                        "this is ${CMAKE_SYSTEM_PROCESSOR}; build libtally "
                        "alone with${unported} (recorder/processor.h lists "
                        "what a port needs)")
  endif()
endif()

# core/base/plain_load.h: x86 orders loads; ThreadSanitizer wants them atomic.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64" AND NOT TALLY_SANITIZE MATCHES
                                                     "thread")
  add_compile_definitions(TALLY_ORDERED_LOADS)
endif()

if(TALLY_SANITIZE)
  set(TALLY_BUILD_RECORDER OFF) # it replaces malloc, and so do sanitizers
  add_compile_options(-fsanitize=${TALLY_SANITIZE} -fno-omit-frame-pointer
                      -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${TALLY_SANITIZE})
  # Thousands of short processes are started: nothing is relocated in each.
  if(CMAKE_C_COMPILER_ID STREQUAL GNU AND TALLY_SANITIZE MATCHES "address")
    add_link_options(-static-libasan -static-libubsan)
  endif()
  find_program(TALLY_LLD ld.lld)
  if(TALLY_LLD)
    add_link_options(-fuse-ld=lld)
  endif()
  # gcc warns that ThreadSanitizer does not see fences. Ours order reads of what
  # another process writes, which it does not see either.
  if(TALLY_SANITIZE STREQUAL thread AND CMAKE_C_COMPILER_ID STREQUAL GNU)
    add_compile_options(-Wno-tsan)
  endif()
endif()

# libFuzzer is led by the code that an input reaches, so all of it is marked.
if(TALLY_BUILD_FUZZERS)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

# Counters are added to atomically, for the tests have threads.
if(TALLY_COVERAGE)
  add_compile_options(--coverage -fprofile-update=atomic)
  add_link_options(--coverage)
endif()

# Options of include/tally/config.h. What differs from it there is handed on to
# those who build against the library.
set(TALLY_CONFIG_DEFINITIONS)
foreach(default IN ITEMS MEM_ALLOC_PROFILING=ON
                         MEM_ALLOC_PROFILING_ENABLED_BY_DEFAULT=ON
                         MEM_ALLOC_PROFILING_DEBUG=OFF
                         MBED_MEM_TRACING_ENABLED=ON
                         ZPL_MEMORY_PROFILING=ON
                         ZPL_TRACE_FORMAT_CTF=ON
                         ZPL_TRACE_FORMAT_PLAINTEXT=OFF)
  string(REPLACE "=" ";" default ${default})
  list(GET default 0 name)
  list(GET default 1 value)
  option(CONFIG_${name} "As in include/tally/config.h" ${value})
  if(CONFIG_${name} AND NOT value)
    list(APPEND TALLY_CONFIG_DEFINITIONS CONFIG_${name}=y)
  elseif(value AND NOT CONFIG_${name})
    list(APPEND TALLY_CONFIG_DEFINITIONS CONFIG_${name}=n)
  endif()
endforeach()
foreach(default IN ITEMS ZPL_MEMORY_PROFILING_INTERVAL=1000
                         ZPL_MEMORY_PROFILING_THREAD_STACK_SIZE=512
                         ZPL_MEMORY_PROFILING_THREAD_PRIORITY=5
                         ZPL_MEMORY_PROFILING_THREAD_DELAY=0
                         ZPL_CTF_LAYOUT=1)
  string(REPLACE "=" ";" default ${default})
  list(GET default 0 name)
  list(GET default 1 value)
  set(CONFIG_${name} ${value} CACHE STRING "As in include/tally/config.h")
  if(NOT CONFIG_${name} EQUAL value)
    list(APPEND TALLY_CONFIG_DEFINITIONS CONFIG_${name}=${CONFIG_${name}})
  endif()
endforeach()
add_compile_definitions(${TALLY_CONFIG_DEFINITIONS})
list(TRANSFORM TALLY_CONFIG_DEFINITIONS PREPEND -D OUTPUT_VARIABLE
                                                   TALLY_CONFIG_FLAGS)
list(JOIN TALLY_CONFIG_FLAGS " " TALLY_CONFIG_FLAGS)

# Version, for the sources that print it or write it into a ledger.
math(EXPR TALLY_VERSION_NUMBER
     "(${PROJECT_VERSION_MAJOR} << 16) | (${PROJECT_VERSION_MINOR} << 8) \
      | ${PROJECT_VERSION_PATCH}")
add_compile_definitions(TALLY_VERSION="${PROJECT_VERSION}"
                        TALLY_VERSION_NUMBER=${TALLY_VERSION_NUMBER}u)

# The sources of one folder and of its rooms: all their .c files. New files are
# picked up at the next build.
function(tally_sources variable folder)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${folder}/*.c)
  list(SORT sources)
  set(${variable} ${sources} PARENT_SCOPE)
endfunction()

# On x86 processors with the jump erratum (Skylake to Cascade Lake) a branch
# that touches a 32-byte boundary is decoded anew each time: 1 to 2 ns a call in
# what every malloc goes through.
set(TALLY_HOT_OPTIONS -fno-tree-slp-vectorize)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  list(APPEND TALLY_HOT_OPTIONS
      $<$<C_COMPILER_ID:GNU>:-Wa,-mbranches-within-32B-boundaries>
      $<$<C_COMPILER_ID:Clang>:-mbranches-within-32B-boundaries>)
endif()
