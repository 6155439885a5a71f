// g++ says: no matching function for call to 'minima::nn::Linear::Linear(<brace-enclosed initializer list>)'
// clang++ says: no matching constructor for initialization of 'nn::Linear'
// g++ lines: 19
// clang++ lines: 11
#include <minima/minima.h>

using namespace minima;

int main() { nn::Linear fc({.in_features = 2, .out_features = 3}); }
