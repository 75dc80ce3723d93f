# Shared by the Cortex-M toolchains, which set KOMPAKT_CPU_FLAGS, KOMPAKT_QEMU_MACHINE (and its
# linker script) first.
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR arm)
set(CMAKE_C_COMPILER arm-none-eabi-gcc)
set(CMAKE_CXX_COMPILER arm-none-eabi-g++)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
set(CMAKE_C_FLAGS_INIT
  "${KOMPAKT_CPU_FLAGS} -mthumb -ffunction-sections -fdata-sections")
set(CMAKE_CXX_FLAGS_INIT
  "${CMAKE_C_FLAGS_INIT} -fno-exceptions -fno-rtti -fno-threadsafe-statics")
set(CMAKE_EXE_LINKER_FLAGS_INIT "--specs=nano.specs -nostartfiles -Wl,--gc-sections")
set(CMAKE_EXECUTABLE_SUFFIX_CXX .elf)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_CROSSCOMPILING_EMULATOR
  ${CMAKE_CURRENT_LIST_DIR}/../../tests/qemu/run.sh ${KOMPAKT_QEMU_MACHINE})
set(KOMPAKT_BARE_METAL ON)
