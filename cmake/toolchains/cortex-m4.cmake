set(KOMPAKT_CPU_FLAGS "-mcpu=cortex-m4 -mfpu=fpv4-sp-d16 -mfloat-abi=hard")
set(KOMPAKT_QEMU_MACHINE mps2-an386)
set(KOMPAKT_LINKER_SCRIPT mps2.ld)
include(${CMAKE_CURRENT_LIST_DIR}/arm-none-eabi.cmake)
