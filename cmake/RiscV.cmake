# SPDX-License-Identifier: Apache-2.0
#
# Toolchain file for RISC-V of 32 bits with Debian's gcc-riscv64-unknown-elf and
# picolibc:
#
#     cmake -DCMAKE_TOOLCHAIN_FILE=.../cmake/RiscV.cmake -DTALLY_CPU=rv32imac
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR riscv32)
set(CMAKE_C_COMPILER riscv64-unknown-elf-gcc)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY) # nothing can be run
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES TALLY_CPU)

set(TALLY_CPU rv32imac CACHE STRING "What -march is given")
# C_FLAGS of the command line stand beside it, not in its place. The port reads
# control registers, which later specifications give the name Zicsr; no library
# of the package is built for a -march with that name.
set(machine -march=${TALLY_CPU} -misa-spec=2.2 -mabi=ilp32
            --specs=picolibc.specs)
add_compile_options(${machine})
add_link_options(${machine})
