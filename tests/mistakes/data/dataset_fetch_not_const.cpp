// says: a dataset's size, get, fetch and open must be const
#include <minima/minima.h>

using namespace minima;

struct Numbers {
  std::int64_t size() const { return 3; }
  Tensor fetch(std::span<const std::int64_t> indices) { return full({1}, static_cast<double>(indices.size())); }
};

int main() {
  data::DataLoader loader(Numbers{}, {.batch_size = 2});
  for (auto& x : loader) relu(x);
}
