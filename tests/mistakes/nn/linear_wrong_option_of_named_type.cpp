// g++ says: 'minima::nn::LinearOptions' has no non-static data member named 'in_features'
// clang++ says: field designator 'in_features' does not refer to any field in type 'nn::LinearOptions'
// lines: 5
#include <minima/minima.h>

using namespace minima;

int main() { nn::Linear fc(nn::LinearOptions{.in_features = 2, .out = 3}); }
