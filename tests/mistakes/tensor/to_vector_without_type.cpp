// says: name one of minima's element types, as in x.item<float>()
// clang++ lines: 18
#include <minima/minima.h>

using namespace minima;

int main() { std::vector<float> x = ones({2}).to_vector(); }
