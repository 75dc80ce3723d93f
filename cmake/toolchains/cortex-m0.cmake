# No machine of QEMU has a plain M0 and enough memory, so Armv6-M code runs on an M3.
set(KOMPAKT_CPU_FLAGS "-mcpu=cortex-m0")
set(KOMPAKT_QEMU_MACHINE mps2-an385)
set(KOMPAKT_LINKER_SCRIPT mps2.ld)
include(${CMAKE_CURRENT_LIST_DIR}/arm-none-eabi.cmake)
