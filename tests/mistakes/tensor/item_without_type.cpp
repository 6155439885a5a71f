// says: name one of minima's element types, as in x.item<float>()
// clang++ lines: 18
#include <minima/minima.h>

using namespace minima;

int main() { float x = ones({}).item(); }
