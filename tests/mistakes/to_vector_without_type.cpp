// says: name one of minima's element types, as in x.item<float>()
// g++ lines: 11
// clang++ lines: 20
#include <minima/minima.h>

using namespace minima;

int main() { std::vector<float> x = ones({2}).to_vector(); }
