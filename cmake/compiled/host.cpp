// The large functions of the host rooms, compiled once for everything that links kompakt::compiled.
#define KOMPAKT_DEFINITIONS
#include <kompakt/compress/mixed_precision.hpp>
#include <kompakt/compress/quantize.hpp>
#include <kompakt/emit/header.hpp>
#include <kompakt/io/tflite/reader.hpp>
#include <kompakt/io/tflite/writer.hpp>
#include <kompakt/train/trainer.hpp>
