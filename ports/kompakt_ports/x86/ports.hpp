// The x86 ports: `portable <- sse41 <- avx2`. Empty for other processors and compilers.
// docs/ports.md says how ports work.
#pragma once

#include <kompakt_ports/x86/avx2.hpp>
#include <kompakt_ports/x86/tags.hpp>
