// g++ says: could not convert 'minima::float64' from 'const minima::DType' to 'minima::TensorOptions'
// clang++ says: no matching function for call to 'randn'
#include <minima/minima.h>

using namespace minima;

int main() { Tensor x = randn({2, 3}, float64); }
