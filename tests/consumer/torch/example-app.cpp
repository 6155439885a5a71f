#include <torch/torch.h>

#include <iostream>

int main() {
  torch::manual_seed(0);
  torch::Tensor w = torch::ones({2, 3}, torch::requires_grad());
  torch::Tensor y = (w * torch::arange(3, torch::kFloat)).sum();
  y.backward();
  std::cout << w.grad() << std::endl;
  return w.grad()[1][2].item<float>() == 2 ? 0 : 1;
}
