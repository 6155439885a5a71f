// g++ says: too many arguments to function 'minima::Tensor minima::reshape(const Tensor&, const Shape&)'
// clang++ says: no matching function for call to 'reshape'
#include <minima/minima.h>

using namespace minima;

int main() { Tensor x = reshape(ones({6}), 2, 3); }
