#include "corpus.h"

#include "documents.h"
#include "windows.h"

#include <minima/io/files/crc32c.h>
#include <minima/tensor/base/format.h>

#include <cmath>
#include <cstdio>
#include <numbers>

double Corpus::bits_per_byte(double loss) const { return loss / std::numbers::ln2 / bytes_per_token_; }

std::string Corpus::bytes_text() const {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f bytes each", bytes_per_token_);
  return text;
}

std::string Corpus::fingerprint() const {
  std::uint32_t checksum = 0;
  for (std::int64_t token = 0; token < tokenizer_.size(); ++token) {
    const std::string bytes = tokenizer_.token(token) + '\n';
    checksum = minima::detail::crc32c(bytes.data(), bytes.size(), checksum);
  }
  return minima::str(text(), ", tokenizer ", checksum);
}

void Corpus::write_dump(const std::string&, std::int64_t, std::int64_t) const {
  throw minima::ValueError("--dump writes the places of rows in one text; pass --text instead of --documents");
}

std::unique_ptr<Corpus> open_corpus(const Options& options) {
  if (options.documents.empty()) return std::make_unique<Windows>(options);
  return std::make_unique<Documents>(options);
}
