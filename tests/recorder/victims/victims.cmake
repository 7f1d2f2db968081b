# SPDX-License-Identifier: Apache-2.0
#
# Needs of victims beyond their one source: libraries, arguments, and link
# options. NAME_victim holds the arguments of tally_victim.

set(entry_point_victim
    ARGUMENTS malloc calloc realloc reallocarray posix_memalign aligned_alloc
              memalign valloc pvalloc)
set(release_victim ARGUMENTS free free_sized free_aligned_sized realloc
                             reallocarray)

tally_victim_library(replaced_new_library replaced_new_library.cpp)
set(replaced_new_victim LINKS replaced_new_library)
tally_victim_library(sized_library sized_library.c)
tally_victim_library(early_library early_library.c)
set(early_and_late_victim LINKS early_library)
tally_victim_library(first_library first_library.c)
target_link_options(first_library PRIVATE -Wl,-z,initfirst)
set(before_libc_victim LINKS first_library)
tally_victim_library(indirect_library indirect_library.c)
set(indirect_function_victim LINKS indirect_library)
set(segment_holes_victim OPTIONS -Wl,-z,max-page-size=0x200000)

set(fork_columns_victim ARGUMENTS fork _Fork clone)
set(shared_memory_child_victim ARGUMENTS vfork clone_vfork clone_vm posix_spawn)

# scenarios/preloaded_allocator.py preloads it into map_forms.
list(APPEND tally_victims_apart maps_library)
tally_victim_library(maps_by_syscall maps_library.c)
tally_victim_library(maps_by_mmap64 maps_library.c)
target_compile_definitions(maps_by_mmap64 PRIVATE BY_MMAP64)

tally_victim_library(refusing_library refusing_library.c)
tally_victim_library(plugin_one plugin_one.c)
tally_victim_library(plugin_two plugin_two.c)
tally_victim_library(plugin_early plugin_early.c)
tally_victim_library(plugin_late1 plugin_early.c)
target_compile_definitions(plugin_late1 PRIVATE LATE)
tally_victim_library(unreadable_plugin plugin_one.c)
target_link_options(unreadable_plugin PRIVATE -Wl,-z,now)
set(unreadable_library_victim ARGUMENTS header unwind unmapped
                              LINKS unreadable_plugin OPTIONS -Wl,-z,now)
tally_victim_library(plugin_covered plugin_covered.c)
tally_victim_library(plugin_deep plugin_deep.c)
tally_victim_library(plugin_wide plugin_wide.c)
tally_victim_library(plugin_narrow plugin_wide.c)
target_compile_definitions(plugin_wide PRIVATE ROOM=512)
target_compile_definitions(plugin_narrow PRIVATE ROOM=256)
target_compile_options(plugin_wide PRIVATE -O2 -fomit-frame-pointer)
target_compile_options(plugin_narrow PRIVATE -O2 -fomit-frame-pointer)

set(wild_free_victim ARGUMENTS interior misaligned tagged stack unmapped highest
                               twice realloc_interior)

set(ending_victim ARGUMENTS exit quick_exit _exit thread main_first abort
    handler
                            kill cpu_limit)
set(labels_victim LINKS tally_shared)
set(scribbled_victim LINKS tally_shared)
set(dropped_privileges_victim ARGUMENTS user namespace)
set(seccomp_filter_victim ARGUMENTS prctl syscall)

set(stack_shapes_victim ARGUMENTS alloca saved callers stale recursion longjmp
                                  tail within turns ends)
set(stack_switches_victim ARGUMENTS threads signals sigaltstack trap context
                                    shared remapped
                                    clone vfork)

# One source with each allocator below it; scenarios/preloaded_allocator.py
# preloads them into other_allocator itself, which has libc's.
list(APPEND tally_victims_apart inside_sqlite jemalloc_calls tcmalloc_calls
     mimalloc_calls)
find_library(tally_mimalloc NAMES mimalloc)
find_library(tally_inside_sqlite NAMES libsqlite3.a)
foreach(allocator IN ITEMS jemalloc tcmalloc tcmalloc_minimal)
  find_library(tally_${allocator} NAMES ${allocator})
  if(tally_${allocator})
    list(APPEND tally_allocators ${allocator})
  endif()
  find_library(tally_inside_${allocator} NAMES lib${allocator}.a)
  if(tally_inside_${allocator})
    list(APPEND tally_inside ${allocator})
  endif()
endforeach()

# A program into which nothing can be preloaded.
add_executable(says_hello_static victims/says_hello.c)
tally_victim_target(says_hello_static)
target_link_options(says_hello_static PRIVATE -static)

# Tests repeated with the other forms of reference and of shard.
set(tally_compressed_tests
    entry_point.malloc release.free realloc_forms new_delete passing_blocks
    large_sizes many_threads random_calls signal_storm fork_columns.fork
    fork_storm map_forms
    plugin_same_place seccomp_filter.prctl deep_binding)
set(tally_without_rseq_tests
    many_threads short_threads passing_blocks random_calls signal_storm
    fork_storm spawn_threads
    shared_memory_child.vfork shared_memory_child.clone_vm)

# With each byte a sample figures are exact, except for blocks of no bytes, for
# allocations of a handler during a sample, and where a filter denies a new
# thread the memory for its samples: those are counted as lost.
set(tally_sampled_tests
    release.free release.realloc realloc_forms new_delete new_failing
    large_sizes many_threads
    short_threads passing_blocks random_calls spawn_threads
    fork_columns.fork fork_columns._Fork fork_columns.clone fork_generations
    fork_storm
    shared_memory_child.vfork shared_memory_child.clone_vm
    stack_switches.signals stack_switches.context loader_stress plugin_rounds
    plugin_same_place plugin_frames thread_local_destructor map_forms
    small_stacks map_stacks
    locked_memory closed_descriptors)

# Each cached stack is followed again.
set(tally_verify_tests
    stack_interrupted stack_exceptions stack_exceptions_fast new_delete
    many_threads short_threads
    passing_blocks random_calls signal_storm first_signals small_stacks
    fork_storm fork_signals spawn_threads shared_memory_child.vfork
    shared_memory_child.clone_vm plugin_rounds plugin_same_place plugin_replaced
    plugin_frames loader_stress deep_binding thread_local_destructor
    seccomp_filter.prctl map_stacks map_forms)
foreach(base IN ITEMS stack_shapes stack_switches)
  list(TRANSFORM ${base}_victim PREPEND ${base}. OUTPUT_VARIABLE plain)
  list(TRANSFORM ${base}_victim PREPEND ${base}_fast. OUTPUT_VARIABLE fast)
  list(APPEND tally_verify_tests ${plain} ${fast})
endforeach()

# Totals equal Valgrind's. It has no pvalloc, counts a failing realloc, aborts
# a program whose operator new fails, and replaces functions that a program
# replaces.
set(tally_valgrind_tests
    entry_point.malloc entry_point.calloc entry_point.realloc
    entry_point.reallocarray entry_point.posix_memalign
    entry_point.aligned_alloc entry_point.memalign entry_point.valloc
    release.free release.realloc release.reallocarray realloc_forms new_delete
    large_sizes strdup_family early_and_late before_libc indirect_function
    closed_descriptors
    fork_columns.fork fork_columns._Fork fork_columns.clone fork_generations
    plugin_rounds plugin_same_place failing_dlsym thread_key_destructor
    thread_local_destructor)
