// The Cortex-M ports: `portable <- cortex_m_v6m` and `portable <- cortex_m_dsp <- cortex_m_mve`.
// docs/ports.md says how ports work.
#pragma once

#include <kompakt_ports/cortex_m/add.hpp>
#include <kompakt_ports/cortex_m/average_pool2d.hpp>
#include <kompakt_ports/cortex_m/conv2d.hpp>
#include <kompakt_ports/cortex_m/depthwise_conv2d.hpp>
#include <kompakt_ports/cortex_m/fully_connected.hpp>
#include <kompakt_ports/cortex_m/mve_add.hpp>
#include <kompakt_ports/cortex_m/mve_conv2d.hpp>
#include <kompakt_ports/cortex_m/mve_depthwise_conv2d.hpp>
#include <kompakt_ports/cortex_m/tags.hpp>
#include <kompakt_ports/cortex_m/v6m_add.hpp>
#include <kompakt_ports/cortex_m/v6m_conv2d.hpp>
#include <kompakt_ports/cortex_m/v6m_depthwise_conv2d.hpp>
