// The NEON ports: `portable <- neon <- dotprod <- i8mm`, the last two on AArch64 only. Empty for
// other processors and compilers. docs/ports.md says how ports work.
#pragma once

#include <kompakt_ports/neon/depthwise.hpp>
#include <kompakt_ports/neon/lane_tiles.hpp>
#include <kompakt_ports/neon/matrix.hpp>
#include <kompakt_ports/neon/matrix_dotprod.hpp>
#include <kompakt_ports/neon/matrix_hooks.hpp>
#include <kompakt_ports/neon/matrix_i8mm.hpp>
#include <kompakt_ports/neon/matrix_neon.hpp>
#include <kompakt_ports/neon/tags.hpp>
