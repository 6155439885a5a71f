#pragma once

// IWYU pragma: begin_exports
#include <minima/onnx/export/save.h>
#include <minima/onnx/network.h>
// IWYU pragma: end_exports

// ONNX models as modules, and modules as ONNX models: docs/onnx.md.
