# kompakt_firmware(name sources...): an ELF for the toolchain's QEMU machine, with start-up,
# semihosting, SysTick time, instruction markers and the painted stack. Registered as a test of that
# name by kompakt_test(name COMMAND name); ctest runs it through tests/qemu/run.sh.
enable_language(C)

set(kompakt_qemu_dir ${CMAKE_CURRENT_LIST_DIR})
set(files startup.c semihost.c ticks.c stack.c)
list(TRANSFORM files PREPEND ${kompakt_qemu_dir}/)
add_library(kompakt_qemu OBJECT ${files})
set_property(TARGET kompakt_qemu PROPERTY C_STANDARD 11)
target_include_directories(kompakt_qemu PUBLIC ${kompakt_qemu_dir})
target_compile_options(kompakt_qemu PRIVATE -Wall -Wextra)

function(kompakt_firmware name)
  add_executable(${name} ${ARGN})
  target_link_libraries(${name} PRIVATE kompakt::kompakt kompakt_flags kompakt_qemu)
  target_link_options(${name} PRIVATE -L${kompakt_qemu_dir} -T ${KOMPAKT_LINKER_SCRIPT}
    -Wl,-Map=$<TARGET_FILE:${name}>.map)
  set_property(TARGET ${name} PROPERTY LINK_DEPENDS
    ${kompakt_qemu_dir}/${KOMPAKT_LINKER_SCRIPT} ${kompakt_qemu_dir}/sections.ld)
endfunction()

# The instruction counter, a plugin for the host's QEMU, so for the host's compiler.
find_program(KOMPAKT_HOST_CC NAMES cc gcc clang)
add_custom_command(OUTPUT insn_count.so DEPENDS ${kompakt_qemu_dir}/insn_count.c
  COMMAND ${KOMPAKT_HOST_CC} -O2 -Wall -Wextra -shared -fPIC -o insn_count.so
    ${kompakt_qemu_dir}/insn_count.c)
add_custom_target(insn_count ALL DEPENDS insn_count.so)
