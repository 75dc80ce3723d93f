// Everything: the device headers, and the host rooms where there is a host. The list is written by cmake/single_header.py.
// clang-format off
#pragma once

#include <kompakt/core/macros_push.hpp>

#include <kompakt/device.hpp>

#include <kompakt/core/macros_pop.hpp>
