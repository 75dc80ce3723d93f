// The one list of op specs: what tests and benchmark run over. It is in all_specs.cpp.
#pragma once

#include "spec.hpp"

namespace kompakt_test {

const std::vector<op_spec>& all_op_specs();

} // namespace kompakt_test
