#pragma once

#include "tests/structure/source_tree.h"

namespace structure {

/// A folder includes only layers to its left, as <minima/LAYER/file.h> and from files that exist; `profiler` stands
/// beside the chain: it may include everything up to `io`, and no layer includes it. Nothing in the library includes
/// <minima/minima.h>, which stands above all layers.
Complaints check_layers(const std::filesystem::path& root);

/// minima.h and what it includes stay light: no operator author's header (ops/op.h, ops/pointwise*.h), no profiler,
/// nothing of another library, and of the standard library only headers that are cheap to compile.
Complaints check_public_headers(const std::filesystem::path& root);

/// simulated/ stands outside the layers: its runtime includes nothing of minima, its programs (dryrun/ and prices/)
/// may, and no file of the library includes either. Its folders have an order, too, and its sources include their own
/// headers first; both rules leave out its tests, which no other part includes.
Complaints check_simulation(const std::filesystem::path& root);

/// No header includes itself through others.
Complaints check_cycles(const std::filesystem::path& root);

/// Nor does a folder: those of a layer have an order, too. An umbrella header stands for what it includes. One freedom:
/// an operator's source may call other operators, since formulas of gradients are made of them.
Complaints check_folder_cycles(const std::filesystem::path& root);

/// The headers of minima that one file reaches, itself included, sorted.
std::vector<std::string> reachable_headers(const std::filesystem::path& root, const std::string& header);

}  // namespace structure
