// says: the stream that a dataset's open returns needs a type `Record` and `bool next(Record&)`
#include <minima/minima.h>

using namespace minima;

struct Reader {
  using Record = Tensor;
};
struct Log {
  Reader open(const data::FetchContext&) const { return {}; }
};

int main() {
  data::DataLoader loader(Log{}, {.batch_size = 2});
  for (auto& x : loader) relu(x);
}
