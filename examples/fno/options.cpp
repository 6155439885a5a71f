#include "options.h"

#include "../command_line.h"

std::optional<int> parse(int argc, char** argv, Options& options) {
  using command_line::at_least, command_line::positive;
  CLI::App app("Trains a Fourier neural operator to solve Darcy's equation.", "fno");
  app.option_defaults()->always_capture_default();
  app.add_option("--fields", options.fields, "permeability fields to train on; a solver makes them")
      ->check(at_least(1));
  app.add_option("--held-out", options.held_out, "fields to test on")->check(at_least(1));
  app.add_option("--size", options.size, "cells along a side, at least twice --modes")->check(at_least(2));
  app.add_option("--epochs", options.epochs, "passes over the training fields")->check(at_least(1));
  app.add_option("--batch-size", options.batch_size, "fields per step")->check(at_least(1));
  app.add_option("--lr", options.lr, "initial learning rate")->check(positive());
  app.add_option("--channels", options.channels, "channels of the Fourier layers")->check(at_least(1));
  app.add_option("--modes", options.modes, "frequencies that a layer keeps along each axis")->check(at_least(1));
  app.add_option("--layers", options.layers, "Fourier layers")->check(at_least(1));
  app.add_option("--out", options.out, "folder for fields.svg and network.safetensors");
  command_line::add_run_options(app, options);
  if (const std::optional<int> exit_code = command_line::parse(app, argc, argv)) return exit_code;
  if (options.size >= 2 * options.modes) return {};
  std::fprintf(stderr, "fno: --size %lld has no %lld frequencies along each axis; take --modes %lld or fewer\n",
               static_cast<long long>(options.size), static_cast<long long>(options.modes),
               static_cast<long long>(options.size / 2));
  return 2;
}
