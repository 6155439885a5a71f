#include "corpus.h"

#include "documents.h"
#include "windows.h"

#include <cmath>
#include <cstdio>
#include <numbers>

double Corpus::bits_per_byte(double loss) const { return loss / std::numbers::ln2 / bytes_per_token_; }

std::string Corpus::bytes_text() const {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f bytes each", bytes_per_token_);
  return text;
}

void Corpus::write_dump(const std::string&, std::int64_t, std::int64_t) const {
  throw minima::ValueError("--dump writes the places of rows in one text; pass --text instead of --documents");
}

std::unique_ptr<Corpus> open_corpus(const Options& options) {
  if (options.documents.empty()) return std::make_unique<Windows>(options);
  return std::make_unique<Documents>(options);
}
