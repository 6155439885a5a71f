// g++ says: no matching function for call to 'minima::nn::Linear::Linear(int, int)'
// clang++ says: no matching constructor for initialization of 'nn::Linear'
// g++ lines: 17
// clang++ lines: 11
#include <minima/minima.h>

using namespace minima;

int main() { nn::Linear fc(2, 1); }
