#pragma once

// IWYU pragma: begin_exports
#include <torch/serialize/input-archive.h>
#include <torch/serialize/output-archive.h>
// IWYU pragma: end_exports
