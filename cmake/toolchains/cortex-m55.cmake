set(KOMPAKT_CPU_FLAGS "-mcpu=cortex-m55 -mfloat-abi=hard")
set(KOMPAKT_QEMU_MACHINE mps3-an547)
set(KOMPAKT_LINKER_SCRIPT an547.ld)
include(${CMAKE_CURRENT_LIST_DIR}/arm-none-eabi.cmake)
