#include "tables.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

// Measures what the usual advice gains here, and shows the other tables in short.

using namespace minima;

namespace bench {

Table practices(const Settings& settings) {
  Table table{.rows_are = "advice", .columns = {{"followed, µs", Better::lower}, {"not, µs"}, {"times as fast"}}};
  const bool is_small = settings.largest < 1024;
  const NoGrad guard;
  const auto row = [&](const char* name, const auto& followed, const auto& not_followed) {
    const double fast = seconds_of(settings, followed), slow = seconds_of(settings, not_followed);
    table.add(name, {fast * micro, slow * micro, slow / fast});
  };
  const Tensor a = randn({64, 32, 32}, on(settings)), b = randn({64, 32, 32}, on(settings));
  row(
      "one batched call instead of 64", [&] { matmul(a, b); },
      [&] {
        for (std::int64_t i = 0; i < 64; ++i) matmul(a[i], b[i]);
      });
  const std::int64_t n = is_small ? 64 : 2048;
  const Tensor x = randn({n, n}, on(settings)), y = randn({n, n}, on(settings));
  row("a fused operator", [&] { silu(x); }, [&] { x* sigmoid(x); });
  row("in place, where the old value is not needed", [&] { add_(y, x); }, [&] { x + y; });
  row("contiguous instead of transposed operands", [&] { x + y; }, [&] { x + transpose(y, 0, 1); });
  row(
      "one copy of 64 tensors instead of 64 copies", [&, parts = randn({64, 1024}, on(settings))] { clone(parts); },
      [&, parts = randn({64, 1024}, on(settings))] {
        for (std::int64_t i = 0; i < 64; ++i) clone(parts[i]);
      });
  row(
      "the loss read every 10 steps instead of each",
      [&, small = randn({256}, on(settings))] {
        Tensor s;
        for (int i = 0; i < 10; ++i) s = sum(small);
        s.item<double>();
      },
      [&, small = randn({256}, on(settings))] {
        for (int i = 0; i < 10; ++i) sum(small).item<double>();
      });
  table.notes.push_back("Prefetching, pinned memory, lower precision, pooling and capturing have tables of their own.");
  return table;
}

namespace {

using Tables = std::vector<std::pair<std::string, Table>>;

const Table* find(const Tables& tables, const std::string& key) {
  const auto found = std::find_if(tables.begin(), tables.end(), [&](const auto& entry) { return entry.first == key; });
  return found == tables.end() || found->second.rows.empty() ? nullptr : &found->second;
}

/// The figures of a column, without those that are missing.
std::vector<double> column_of(const Table& table, std::size_t column) {
  std::vector<double> figures;
  for (const Table::Row& row : table.rows)
    if (column < row.figures.size() && !std::isnan(row.figures[column])) figures.push_back(row.figures[column]);
  return figures;
}

}  // namespace

Table summary(const Tables& tables) {
  Table result{.rows_are = "what", .columns = {{"least"}, {"most"}}};
  const auto row = [&](const char* key, std::size_t column, const char* name) {
    const Table* const table = find(tables, key);
    const std::vector<double> figures = table ? column_of(*table, column) : std::vector<double>();
    if (figures.empty()) return;
    const auto [least, most] = std::minmax_element(figures.begin(), figures.end());
    result.add(name, {*least, *most});
  };
  row("pool", 2, "memory from the cache, times as fast");
  row("pool", 3, "requests served by the cache, %");
  row("precision", 4, "bfloat16 products, times as fast as float32");
  row("shapes", 2, "products of any size, % of the best rate");
  row("roofline", 3, "products, % of the roof");
  row("crossover", 5, "GPU with copies, times as fast as the CPU");
  row("fused", 2, "fused operators, times as fast");
  row("captured", 3, "captured steps, times as fast");
  row("captured", 4, "calls after which capturing pays");
  row("streams", 2, "two models on two streams, times as fast");
  row("practices", 2, "the usual advice, times as fast");
  if (const Table* const prefetch = find(tables, "prefetch")) {
    const std::vector<double> rates = column_of(*prefetch, 0);
    if (rates.size() > 1)
      result.add("loading with workers, times as fast", {rates[1] / rates[0], rates.back() / rates[0]});
  }
  if (const Table* const passes = find(tables, "no_grad"); passes && passes->rows.size() == 2) {
    const auto of = [&](std::size_t row, std::size_t column) { return passes->rows[row].figures[column]; };
    result.add("no_grad, times as fast", {of(0, 0) / of(1, 0), of(0, 0) / of(1, 0)});
    result.add("recording, times the memory", {of(0, 1) / of(1, 1), of(0, 1) / of(1, 1)});
  }
  return result;
}

}  // namespace bench
