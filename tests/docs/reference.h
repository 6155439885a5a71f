#pragma once

#include <string>
#include <vector>

namespace minima::test {

/// A page of docs/, or its end, that is generated from what the headers of a layer declare.
struct ReferencePage {
  std::string file;                    ///< `layers.md`
  std::string title;                   ///< the heading at which the generated part begins
  std::string about;                   ///< what follows it
  std::string folder;                  ///< `nn`
  std::vector<std::string> internal;   ///< parts of paths of headers that users do not need: `_impl.h`
  bool members = false;                ///< with a table of each class's public functions
  std::vector<std::string> only = {};  ///< the paths of its headers; empty: all of the folder's
};

const std::vector<ReferencePage>& reference_pages();

/// The title, then for each header a table of its types, functions and constants.
std::string text_of(const ReferencePage& page);

/// The declarations that the page would list without a word about them.
std::vector<std::string> undocumented(const ReferencePage& page);

}  // namespace minima::test
