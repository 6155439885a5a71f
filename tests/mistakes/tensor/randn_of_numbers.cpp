// g++ says: could not convert '3' from 'int' to 'minima::TensorOptions'
// clang++ says: no matching function for call to 'randn'
#include <minima/minima.h>

using namespace minima;

int main() { Tensor x = randn(2, 3); }
