#include <minima/io/onnx/onnx_file.h>
#include <minima/onnx/network.h>

#include "tests/fuzz/fuzz.h"

/// Reads a model and prepares it for running.
FUZZ_TARGET(bytes) { minima::onnx::load(fuzz::as_file(bytes)); }
