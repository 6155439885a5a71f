// says: Sequential takes modules and functions from tensor to tensor
#include <minima/minima.h>

using namespace minima;

int main() { nn::Sequential net(nn::Linear({.in = 2, .out = 2}), 3); }
