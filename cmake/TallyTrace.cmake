# SPDX-License-Identifier: Apache-2.0
#
# Have tally/mem_trace.h told of the allocations of a program that is linked
# statically, or of firmware with a C library, with no change to its sources:
#
#     tally_trace_allocations(program)
#
# gives the program libtally-trace.a and the options of the linker that lead its
# calls of malloc and the like there. In a firmware build (TallyFirmware.cmake)
# the library is built for the target; elsewhere it is Tally's own. Beside it
# the program links Tally as ever.

# What is wrapped; the linker ignores names that no object calls.
set(TALLY_TRACED_NAMES
    malloc calloc realloc reallocarray free
    aligned_alloc memalign posix_memalign valloc pvalloc
    # newlib's, by which its malloc and it itself allocate
    _malloc_r _calloc_r _realloc_r _free_r _memalign_r
    # operator new and delete; m: where addresses have 64 bits, j: where 32
    _Znwm _Znam _ZnwmRKSt9nothrow_t _ZnamRKSt9nothrow_t _ZnwmSt11align_val_t
    _ZnamSt11align_val_t _ZnwmSt11align_val_tRKSt9nothrow_t
    _ZnamSt11align_val_tRKSt9nothrow_t
    _Znwj _Znaj _ZnwjRKSt9nothrow_t _ZnajRKSt9nothrow_t _ZnwjSt11align_val_t
    _ZnajSt11align_val_t _ZnwjSt11align_val_tRKSt9nothrow_t
    _ZnajSt11align_val_tRKSt9nothrow_t
    _ZdlPv _ZdaPv _ZdlPvm _ZdaPvm _ZdlPvj _ZdaPvj _ZdlPvRKSt9nothrow_t
    _ZdaPvRKSt9nothrow_t _ZdlPvSt11align_val_t _ZdaPvSt11align_val_t
    _ZdlPvmSt11align_val_t _ZdaPvmSt11align_val_t _ZdlPvjSt11align_val_t
    _ZdaPvjSt11align_val_t _ZdlPvSt11align_val_tRKSt9nothrow_t
    _ZdaPvSt11align_val_tRKSt9nothrow_t)

# Libraries behind libtally-trace.a may call these even if no object before it
# does.
set(TALLY_TRACED_ALWAYS malloc)
if(NOT CMAKE_SYSTEM_NAME STREQUAL Generic)
  list(APPEND TALLY_TRACED_ALWAYS aligned_alloc memalign posix_memalign valloc
       pvalloc)
elseif(CMAKE_C_COMPILER)
  include(CheckCSourceCompiles)
  check_c_source_compiles(
    "#include <stdlib.h>
     #if !defined __NEWLIB__ || defined __PICOLIBC__
     #error another C library
     #endif
     int of_newlib;"
    TALLY_TRACES_NEWLIB)
  if(TALLY_TRACES_NEWLIB)
    list(APPEND TALLY_TRACED_ALWAYS _malloc_r)
  endif()
endif()

list(TRANSFORM TALLY_TRACED_NAMES PREPEND -Wl,--wrap=
     OUTPUT_VARIABLE TALLY_TRACE_OPTIONS)
list(TRANSFORM TALLY_TRACED_ALWAYS PREPEND -Wl,--undefined=__wrap_
     OUTPUT_VARIABLE tally_trace_always)
list(APPEND TALLY_TRACE_OPTIONS ${tally_trace_always})

# What it calls itself: Tally may stand before it on the command line.
foreach(name IN ITEMS tally_mem_trace_enter mbed_mem_trace_malloc
                      mbed_mem_trace_unlock tally_thread_current)
  list(APPEND TALLY_TRACE_OPTIONS -Wl,--undefined=${name})
endforeach()

# And in C++, where a program without any operator new or delete may have them
# in the C++ library.
set(TALLY_TRACE_CXX_OPTIONS -Wl,--undefined=__wrap__ZdlPv)

# The library, of the sources in `root`; `view` leads to their folder.
function(tally_add_trace_library name root view)
  file(GLOB sources CONFIGURE_DEPENDS ${root}/wrapped/*.c)
  list(SORT sources)
  add_library(${name} STATIC ${sources})
  target_include_directories(${name} PRIVATE ${root}/include ${view})
  target_compile_options(${name} PRIVATE -std=gnu17 -Wall -Wextra
                                         -ffunction-sections)
  target_link_options(
    ${name} INTERFACE ${TALLY_TRACE_OPTIONS}
    "$<$<LINK_LANGUAGE:CXX>:${TALLY_TRACE_CXX_OPTIONS}>")
  set_source_files_properties(${root}/wrapped/new_delete.c
                              PROPERTIES COMPILE_OPTIONS -fexceptions)
endfunction()

function(tally_trace_allocations target)
  set(library Tally::trace)
  if(NOT TARGET Tally::trace)
    set(library tally_trace)
  endif()
  if(NOT TARGET ${library})
    cmake_path(GET CMAKE_CURRENT_FUNCTION_LIST_DIR PARENT_PATH root)
    set(view ${CMAKE_CURRENT_BINARY_DIR}/tally-trace-view)
    file(MAKE_DIRECTORY ${view})
    file(CREATE_LINK ${root}/wrapped ${view}/wrapped SYMBOLIC)
    tally_add_trace_library(tally_trace ${root} ${view})
  endif()
  # By target_link_libraries() it would depend on the form that the target uses.
  set_property(TARGET ${target} APPEND PROPERTY LINK_LIBRARIES ${library})
  get_target_property(type ${target} TYPE)
  if(type STREQUAL STATIC_LIBRARY)
    set_property(TARGET ${target} APPEND PROPERTY INTERFACE_LINK_LIBRARIES
                                                  $<LINK_ONLY:${library}>)
  endif()
endfunction()
