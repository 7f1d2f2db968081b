# SPDX-License-Identifier: Apache-2.0
#
# Toolchain file for Cortex-M and Cortex-R with Debian's gcc-arm-none-eabi:
#
#     cmake -DCMAKE_TOOLCHAIN_FILE=.../cmake/CortexM.cmake -DTALLY_CPU=cortex-m4
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR arm)
set(CMAKE_C_COMPILER arm-none-eabi-gcc)
set(CMAKE_CXX_COMPILER arm-none-eabi-g++)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY) # nothing can be run
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES TALLY_CPU)

set(TALLY_CPU cortex-m3 CACHE STRING "What -mcpu is given")
# C_FLAGS of the command line stand beside it, not in its place.
add_compile_options(-mcpu=${TALLY_CPU} -mthumb)
add_link_options(-mcpu=${TALLY_CPU} -mthumb)
