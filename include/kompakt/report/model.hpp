// What a model is made of and what it costs: as data, as a page, as JSON.
#pragma once

#include <kompakt/report/model_html.hpp>
#include <kompakt/report/model_json.hpp>
#include <kompakt/report/model_summary.hpp>
