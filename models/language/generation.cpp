#include <minima/models/language/generation.h>

#include <minima/autograd/mode.h>
#include <minima/models/language/generate.h>
#include <minima/models/language/sampler.h>
#include <minima/models/language/text_stream.h>
#include <minima/nn/attention/kv_cache.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/view/slice.h>
#include <minima/tensor/base/check_option.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/base/function.h>
#include <minima/tensor/tensor.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace minima::models {

namespace {

/// Rows of several lengths as one tensor [B, longest], padded on the left by zeros.
Tensor left_padded(const std::vector<std::vector<std::int64_t>>& rows, std::int64_t longest) {
  Tensor all = zeros({static_cast<std::int64_t>(rows.size()), longest}, {.dtype = int64});
  std::int64_t* end = all.data<std::int64_t>();
  for (const auto& row : rows) std::ranges::copy_backward(row, end += longest);
  return all;
}

std::int64_t longest_of(const std::vector<std::vector<std::int64_t>>& rows) {
  std::size_t most = 0;
  for (const auto& row : rows) most = std::max(most, row.size());
  return static_cast<std::int64_t>(most);
}

/// A row and what fills it to `length`.
void write_row(const std::vector<std::int64_t>& tokens, std::int64_t fill, std::int64_t length, std::int64_t* to) {
  std::fill(std::ranges::copy(tokens, to).out, to + length, fill);
}

}  // namespace

KVCaches CausalModel::caches(std::int64_t capacity, std::optional<DType> cache_dtype) const {
  KVCaches all;
  for (std::int64_t i = 0; i < layers; ++i) all.emplace_back(capacity, cache_dtype);
  return all;
}

Generation::Generation(CausalModel model, std::vector<std::vector<std::int64_t>> prompts,
                       const GenerateOptions& options)
    : model_(std::move(model)),
      options_(options),
      sampler_(options, static_cast<std::int64_t>(prompts.size())),
      pending_(std::move(prompts)) {
  if (pending_.empty()) throw ShapeError(str(model_.name, ": generation needs at least one prompt"));
  const std::int64_t longest = longest_of(pending_);
  check(options);
  bool is_ragged = false;
  for (std::int64_t row = 0; const auto& prompt : pending_) {
    if (prompt.empty())
      throw ShapeError(
          str(model_.name, ": the prompt of row ", row, " is empty; begin with a token such as the end of text"));
    check_tokens(row, prompt);
    is_ragged |= static_cast<std::int64_t>(prompt.size()) != longest;
    texts_.push_back({.tokens = prompt,
                      .prompt = static_cast<std::int64_t>(prompt.size()),
                      .begin = static_cast<std::int64_t>(prompt.size()),
                      .end = options.new_tokens == 0 ? TextEnd::count : TextEnd::none,
                      .stream = TextStream(options.stop),
                      .piece = {}});
    sampler_.note(row++, prompt);
  }
  if (model_.layers == 0) {
    if (is_ragged) throw ShapeError("generate: prompts of several lengths need a model with caches");
    return;
  }
  // The last token that is drawn needs no place.
  const std::int64_t drawn = std::min(std::max<std::int64_t>(options.new_tokens, 1) - 1, INT64_MAX - longest);
  capacity_ = options.capacity > 0 ? options.capacity : longest + drawn;
  if (model_.positions > 0 && capacity_ > model_.positions) {
    if (options.capacity == 0)
      throw ShapeError(str(model_.name, ": a prompt of ", longest, " tokens and ", options.new_tokens,
                           " new ones exceed the model's ", model_.positions,
                           " positions; shorten the prompt or ask for ",
                           std::max<std::int64_t>(model_.positions - longest + 1, 0), " new tokens"));
    throw ValueError(str(model_.name, ": a cache of ", capacity_, " positions exceeds the model's ", model_.positions));
  }
  check_room("prompt", longest);
  if (options.max_cache_bytes > 0 && cache_bytes() > options.max_cache_bytes)
    throw ValueError(str(model_.name, ": the cache would take ", cache_text(), " = ", cache_bytes(),
                         " bytes, more than max_cache_bytes = ", options.max_cache_bytes,
                         "; take fewer rows or positions, or cache_dtype = bfloat16"));
  caches_ = model_.caches(capacity_, options.cache_dtype);
  if (!is_ragged) return;
  Tensor padding = zeros({rows()}, {.dtype = int64});
  for (std::int64_t row = 0; row < rows(); ++row) padding.data<std::int64_t>()[row] = longest - at(row).prompt;
  for (nn::KVCache& cache : caches_) cache.hide(padding);
}

void Generation::check(const GenerateOptions& options) const {
  using minima::detail::check_count;
  check_count("generate", "chunk", options.chunk, 1);
  check_count("generate", "capacity", options.capacity, 0);
  check_count("generate", "max_cache_bytes", options.max_cache_bytes, 0);
  if (!options.stop.empty() && !options.text)
    throw ValueError("generate: stop strings need `text`, the bytes of a token");
}

void Generation::check_tokens(std::int64_t row, std::span<const std::int64_t> tokens) const {
  for (std::size_t i = 0; i < tokens.size(); ++i)
    if (tokens[i] < 0 || (model_.vocabulary > 0 && tokens[i] >= model_.vocabulary))
      throw IndexError(str(model_.name, ": token ", tokens[i], " at position ", i, " of row ", row,
                           " is outside the vocabulary of ", model_.vocabulary));
}

void Generation::check_room(const char* what, std::int64_t added) const {
  if (model_.layers == 0 || length_ + added <= capacity_) return;
  throw ValueError(str(model_.name, ": the ", what, " of ", added, added == 1 ? " token" : " tokens",
                       " does not fit into the cache: ", length_, " of ", capacity_,
                       " positions are taken; set a larger capacity"));
}

const Generation::Text& Generation::at(std::int64_t row) const {
  if (row < 0 || row >= rows()) throw IndexError(str("Generation: there is no row ", row, " among ", rows()));
  return texts_[static_cast<std::size_t>(row)];
}

Tensor Generation::logits() {
  const std::int64_t longest = longest_of(pending_);
  check_room(longest == 1 ? "step" : "prompt", longest);
  const Tensor tokens = left_padded(pending_, longest).to(model_.device);
  const std::int64_t chunk = model_.layers == 0 ? longest : options_.chunk;
  Tensor result;
  try {
    for (std::int64_t begin = 0; begin < longest; begin += chunk)
      result = model_.next(narrow(tokens, 1, begin, std::min(chunk, longest - begin)), caches_);
  } catch (...) {
    for (nn::KVCache& cache : caches_) cache.truncate(std::min(cache.length(), length_));
    throw;
  }
  return result;
}

bool Generation::step() {
  std::vector<bool> has_ended;
  for (Text& text : texts_) {
    has_ended.push_back(text.end != TextEnd::none);
    text.last = -1;
    text.piece.clear();
  }
  if (std::ranges::find(has_ended, false) == has_ended.end()) return false;
  const NoGrad guard;
  const Tensor scores = logits();
  std::vector<std::int64_t> chosen;
  try {
    chosen = sampler_.choose(scores, has_ended);
  } catch (...) {
    for (nn::KVCache& cache : caches_) cache.truncate(length_);
    throw;
  }
  length_ += longest_of(pending_);
  for (std::size_t row = 0; row < texts_.size(); ++row) {
    Text& text = texts_[row];
    if (!has_ended[row]) take(text, chosen[row]);
    pending_[row].assign(1, text.tokens.back());  // rows that have ended go along unread
  }
  return true;
}

bool Generation::is_end(std::int64_t token) const {
  return (options_.end >= 0 && token == options_.end) || std::ranges::count(options_.stop_tokens, token) > 0;
}

void Generation::take(Text& text, std::int64_t token) {
  text.last = token;
  text.tokens.push_back(token);
  if (is_end(token)) {
    text.end = TextEnd::token;
  } else if (options_.text) {
    text.piece = text.stream.add(options_.text(token));
    if (text.stream.has_stopped()) text.end = TextEnd::stop;
  }
  const auto count = static_cast<std::int64_t>(text.tokens.size()) - text.begin;
  if (text.end == TextEnd::none && count >= options_.new_tokens) text.end = TextEnd::count;
  if (text.end != TextEnd::none && text.end != TextEnd::stop) text.piece += text.stream.finish();
}

void Generation::append(std::span<const std::int64_t> tokens) {
  if (rows() != 1) throw ValueError(str(model_.name, ": append continues one row, but there are ", rows()));
  if (tokens.empty()) throw ShapeError(str(model_.name, ": append got no tokens"));
  check_tokens(0, tokens);
  Text& text = texts_.front();
  auto& pending = pending_.front();
  check_room("message", static_cast<std::int64_t>(pending.size() + tokens.size()));
  pending.insert(pending.end(), tokens.begin(), tokens.end());
  text.tokens.insert(text.tokens.end(), tokens.begin(), tokens.end());
  text.begin = static_cast<std::int64_t>(text.tokens.size());
  text.end = options_.new_tokens == 0 ? TextEnd::count : TextEnd::none;
  text.stream = TextStream(options_.stop);
  text.last = -1;
  text.piece.clear();
  sampler_.note(0, tokens);
}

std::int64_t Generation::cache_bytes() const {
  const auto row = model_.layers * model_.cache_width *
                   static_cast<std::int64_t>(size_of(options_.cache_dtype.value_or(model_.dtype)));
  const auto most = static_cast<double>(INT64_MAX) / static_cast<double>(rows() * std::max<std::int64_t>(row, 1));
  return static_cast<double>(capacity_) < most ? rows() * capacity_ * row : INT64_MAX;
}

std::string Generation::cache_text() const {
  return str(rows(), " rows x ", capacity_, " positions x ", model_.layers, " layers x ", model_.cache_width,
             " numbers x ", size_of(options_.cache_dtype.value_or(model_.dtype)), " bytes");
}

Tensor generate(const CausalModel& model, const Tensor& prompt, const GenerateOptions& options) {
  if (prompt.rank() != 2 || prompt.size(1) == 0)
    throw ShapeError(str("generate: the prompt must be [B, T] with T at least 1, not ", prompt.shape()));
  if (prompt.dtype() != int64) throw DTypeError(str("generate: the prompt must be of int64 tokens, not ", prompt));
  const std::int64_t count = prompt.size(0), given = prompt.size(1);
  detail::check_sampling(options);
  if (count == 0) return prompt;
  const std::vector<std::int64_t> all = prompt.to(Device::cpu()).to_vector<std::int64_t>();
  std::vector<std::vector<std::int64_t>> prompts;
  for (auto row = all.begin(); row != all.end(); row += given) prompts.emplace_back(row, row + given);
  Generation generation(model, std::move(prompts), options);
  std::int64_t length = given;
  while (generation.step()) ++length;
  Tensor result = empty({count, length}, {.dtype = int64});
  for (std::int64_t row = 0; row < count; ++row) {
    const auto& tokens = generation.tokens(row);
    write_row(tokens, options.end >= 0 ? options.end : tokens.back(), length,
              result.data<std::int64_t>() + row * length);
  }
  return result.to(prompt.device());
}

Tensor generate(const Tensor& prompt, const Function<Tensor(const Tensor& tokens)>& next,
                const GenerateOptions& options) {
  const Device device = prompt.device();
  return generate(
      CausalModel{.next = [next](const Tensor& tokens, KVCaches&) { return next(tokens); }, .device = device}, prompt,
      options);
}

}  // namespace minima::models
