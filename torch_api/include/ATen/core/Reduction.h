#pragma once

namespace at::Reduction {

/// How a loss combines its elements: LibTorch passes it to functions as int64_t.
enum Reduction { None, Mean, Sum, END };

}  // namespace at::Reduction
