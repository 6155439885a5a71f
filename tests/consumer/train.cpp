#include <minima/tensor/format.h>
#include <minima/tensor/layout.h>

#include <iostream>

int main() {
  const minima::Layout layout = minima::Layout::channels_last({2, 3, 4, 4});
  std::cout << minima::str("channels last of ", layout.shape) << "\n";
  return layout.numel() == 96 ? 0 : 1;
}
