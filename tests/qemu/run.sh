#!/bin/sh
# run.sh MACHINE ELF: runs one firmware, deterministically; main's result is the exit status.
#   PLUGIN=insn_count.so[,out=FILE,...]  counts instructions (insn_count.c)
#   SHIFT=6        finer SysTick (default 0)
#   ICOUNT=off     without -icount: faster, the plugin's counts stay, SysTick means nothing
#   ARG=text       reaches the firmware through sh_cmdline(), after the name fw
#   LIMIT=300      seconds
machine=$1 elf=$2
icount="-icount shift=${SHIFT:-0}"
[ "$ICOUNT" = off ] && icount=
exec timeout "${LIMIT:-300}" qemu-system-arm -M "$machine" -display none -serial none \
    -monitor none -chardev stdio,id=con,signal=on,mux=off \
    -semihosting-config "enable=on,target=native,chardev=con,arg=fw,arg=${ARG:-none}" $icount \
    ${PLUGIN:+-plugin "$PLUGIN"} -kernel "$elf"
