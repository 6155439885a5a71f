// g++ says: 'class minima::Tensor' has no member named 'relu'
// clang++ says: no member named 'relu' in 'minima::Tensor'
#include <minima/minima.h>

using namespace minima;

int main() { ones({2}).relu(); }
