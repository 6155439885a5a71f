#pragma once

#include "network.h"
#include "options.h"

#include <cstdint>
#include <vector>

/// The tokens of the prompt. Throws ValueError if they are more than a row's.
std::vector<std::int64_t> encode_prompt(const minima::data::Tokenizer& tokenizer, const Options& options);

/// Prints the prompt and what the model adds to it, as it comes; returns both.
std::string print_sample(Network& net, const minima::data::Tokenizer& tokenizer, const Options& options);

/// Reads lines from standard input and continues each, until the input ends.
void chat(const Options& options, minima::Device device);
