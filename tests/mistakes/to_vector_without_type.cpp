// g++ says: no matching function for call to 'minima::Tensor::to_vector()'
// clang++ says: no matching member function for call to 'to_vector'
// g++ lines: 15
#include <minima/minima.h>

using namespace minima;

int main() { std::vector<float> x = ones({2}).to_vector(); }
