// g++ says: no matching function for call to 'minima::Tensor::item()'
// clang++ says: no matching member function for call to 'item'
// g++ lines: 15
#include <minima/minima.h>

using namespace minima;

int main() { float x = ones({}).item(); }
