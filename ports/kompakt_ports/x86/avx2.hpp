// The AVX2 port: all its kernels.
#pragma once

#include <kompakt_ports/x86/avx2_add.hpp>
#include <kompakt_ports/x86/avx2_conv2d.hpp>
#include <kompakt_ports/x86/avx2_conv2d_f32.hpp>
#include <kompakt_ports/x86/avx2_depthwise_conv2d.hpp>
#include <kompakt_ports/x86/avx2_depthwise_conv2d_f32.hpp>
