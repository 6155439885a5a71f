#pragma once

#include "network.h"
#include "options.h"

/// Prints the prompt and what the model adds to it, as it comes; returns both.
std::string print_sample(Network& net, const minima::data::Tokenizer& tokenizer, const Options& options);

/// Reads lines from standard input and continues each, until the input ends.
void chat(const Options& options, minima::Device device);
