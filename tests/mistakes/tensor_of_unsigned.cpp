// says: name one of minima's element types, as in x.item<float>()
// g++ lines: 12
// clang++ lines: 17
#include <minima/minima.h>

using namespace minima;

int main() { tensor<unsigned>({1, 2}); }
