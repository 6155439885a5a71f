#include "tests/docs/reference.h"

#include "tests/support/public_headers.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <regex>

namespace minima::test {

namespace {

using Kind = Declaration::Kind;
using Types = std::map<std::string, Declaration>;

/// What is called Options is listed with the type that takes it.
bool has_row(const Declaration& declaration) { return declaration.name.find("Options") == std::string::npos; }

/// Read once.
const std::vector<Header>& headers_in(const std::string& folder) {
  static std::map<std::string, std::vector<Header>> read;
  const auto [entry, is_new] = read.try_emplace(folder);
  if (is_new) entry->second = read_headers(MINIMA_SOURCE_DIR, folder);
  return entry->second;
}

/// A layer on the page of another one.
struct Section {
  std::string text;                    ///< heading and introduction
  std::string folder;                  ///< `models`
  std::vector<std::string> internal;   ///< as in ReferencePage
  std::vector<std::string> only = {};  ///< the paths of its headers; empty: all of the folder's
};

constexpr const char* models_section = R"(## Models

Everything in `models/`, namespace `minima::models`; each model has a header of its own. Parameters and buffers have the
names of the model's twin in torchvision or Hugging Face, so its weights load. torchvision's are written as safetensors
once, in Python:

```python
import safetensors.torch, torchvision
safetensors.torch.save_file(torchvision.models.resnet18(weights="DEFAULT").state_dict(), "resnet18.safetensors")
```

<!-- compile only: the files are downloads -->
```cpp
#include <minima/minima.h>
#include <minima/io/tensors/safetensors.h>
#include <minima/models/language/bert.h>
#include <minima/models/language/gpt2.h>
#include <minima/models/vision/resnet.h>

minima::models::ResNet net({.depth = 18});
minima::nn::load("resnet18.safetensors", net);
net.eval();   // images as torchvision's: RGB from 0 to 1, less imagenet_mean, divided by imagenet_std

minima::models::GPT2 gpt2;
gpt2.load_pretrained(minima::read_safetensors("gpt2/model.safetensors"));   // Hugging Face's file
gpt2.eval();
minima::Tensor prompt = minima::tensor({{464, 3280, 284}});
minima::Tensor text = gpt2.generate(prompt, {.new_tokens = 20, .temperature = 0.8, .top_k = 50});

minima::models::BERT bert;                   // tokens [B, T] of int64, padded with 0
minima::Tensor tokens = minima::tensor({{101, 7592, 102, 0}, {101, 2088, 2003, 102}});
auto [hidden, pooled] = bert(tokens, minima::models::BERTCall{.attention_mask = tokens != 0});
```

What a call takes beside tokens is a struct, such as `BERTCall`, and is spelled out: braces alone have no type when a
call passes them on.

`load_pretrained` of the language models maps Hugging Face's files to ours: it transposes GPT-2's Conv1D weights, adds a
tied output layer, and skips heads and constants that the model does not have. `models::load("folder")`
makes the model that the folder's config.json describes, from one file or several
([language-models.md](language-models.md#models-and-published-weights)). The way back is
`net.save_pretrained("tuned")`, a folder with Hugging Face's names, layout and config.json for transformers'
`from_pretrained`; what `nn::save` writes has ours, and `nn::load` reads it. For another number of classes, make the model
with it and load with `{.strict = false}`, which leaves the new head as it is. `nn::init::Skip`
(`<minima/nn/init/skip.h>`) saves the time for random weights that are replaced anyway.
)";

/// The page of classes that programs call, with their members.
std::vector<Section> sections_of_members() {
  return {{"## Tensor\n\nMembers; what computes is a function: [operators.md](operators.md).\n",
           "tensor",
           {},
           {"tensor/tensor.h"}},
          {"## Modules\n\nMembers that every module has. Layers and their options: [layers.md](layers.md).\n",
           "nn",
           {},
           {"nn/module/module.h", "nn/module/module_base.h", "nn/module/load_report.h", "nn/module/forward_hook.h"}},
          {"## Files\n\nEverything in `io/`, namespace `minima`.\n",
           "io",
           {"io/plots/jpeg_writer.h", "io/plots/png_writer.h", "io/plots/svg.h", "io/plots/ticks.h", "io/counter.h"}},
          {"## Serving\n\nEverything in `inference/`, namespace `minima::inference`: [inference.md](inference.md).\n",
           "inference",
           {"_impl.h", "/queue.h", "/clock.h", "/request.h"}}};
}

std::vector<Section> sections_of(const ReferencePage& page) {
  if (page.file == "reference.md") return sections_of_members();
  if (page.file != "layers.md") return {};
  return {{models_section, "models", {"/check_size.h", "/cached_attention.h", "/blocks.h"}}};
}

std::vector<std::string> folders_of(const ReferencePage& page) {
  std::vector<std::string> folders{page.folder};
  for (const Section& section : sections_of(page)) folders.push_back(section.folder);
  return folders;
}

/// The headers in `folder` without those whose paths contain an `internal` part.
std::vector<Header> headers_of(const std::string& folder, const std::vector<std::string>& internal,
                               const std::vector<std::string>& only = {}) {
  std::vector<Header> headers = headers_in(folder);
  if (!only.empty())
    std::erase_if(headers,
                  [&](const Header& header) { return std::find(only.begin(), only.end(), header.path) == only.end(); });
  std::erase_if(headers, [&](Header& header) {
    std::erase_if(header.declarations, [](const Declaration& declaration) { return !has_row(declaration); });
    const auto is_in_path = [&](const std::string& part) { return header.path.find(part) != std::string::npos; };
    return header.declarations.empty() || std::any_of(internal.begin(), internal.end(), is_in_path);
  });
  return headers;
}

/// The first type that the pattern finds in the text; null if there is none.
const Declaration* type_in(const std::string& text, const char* pattern, const Types& types) {
  const std::regex name(pattern);
  for (std::sregex_iterator match(text.begin(), text.end(), name), end; match != end; ++match)
    if (const auto type = types.find((*match)[1]); type != types.end()) return &type->second;
  return nullptr;
}

/// An alias with the comment and the body of what it names.
Declaration resolved(Declaration declaration, const Types& types) {
  if (declaration.kind != Kind::alias) return declaration;
  const Declaration* target = type_in(declaration.text, R"(= (\w+))", types);
  if (!target) return declaration;
  if (declaration.comment.empty()) declaration.comment = target->comment;
  declaration.body = target->body;
  return declaration;
}

/// The types in which options are looked up: those of the page's folders, then the operators'.
Types types_for(const ReferencePage& page) {
  Types types;
  std::vector<std::string> folders = folders_of(page);
  folders.emplace_back("ops");
  for (const std::string& folder : folders)
    for (const Header& header : headers_in(folder))
      for (const Declaration& declaration : header.declarations)
        if (declaration.kind == Kind::type || declaration.kind == Kind::alias)
          types.emplace(declaration.name, resolved(declaration, types));
  return types;
}

/// The fields of the options that a class is constructed with, or of the aggregate itself.
std::string options_text(const Declaration& type, const Types& types) {
  if (type.text.starts_with("enum")) return "";
  constexpr const char* options_name = R"((\w*Options\w*))";
  const Declaration* options = type_in(type.text, options_name, types);
  for (const std::string& line : type.body)
    if (!options && line.starts_with("explicit ")) options = type_in(line, options_name, types);
  const std::string fields = options ? fields_of(*options) : type.text.starts_with("struct") ? fields_of(type) : "";
  return fields.empty() ? "" : "`" + fields + "`";
}

/// Another overload, which the comment above it documents too.
bool is_overload(const Declaration& declaration, const std::vector<Declaration>& all) {
  const auto documented = [&](const Declaration& other) {
    return other.name == declaration.name && !other.comment.empty();
  };
  return declaration.comment.empty() && std::any_of(all.begin(), all.end(), documented);
}

constexpr std::size_t max_cell = 400;  ///< characters

/// The part of a comment that stands in a table. A cell holds no paragraph: the sentences after its first 300
/// characters join the `notes`, which follow the table.
std::string cell(const std::string& name, const std::string& comment, std::string& notes) {
  if (comment.size() <= max_cell) return escaped(comment);
  std::size_t end = std::string::npos;
  for (std::size_t at = comment.find(". "); at != std::string::npos; at = comment.find(". ", at + 1))
    if (std::isupper(static_cast<unsigned char>(comment[at + 2])) && (at <= 300 || end == std::string::npos)) end = at;
  if (end == std::string::npos) return escaped(comment);
  notes += "\n`" + name + "`: " + comment.substr(end + 2) + "\n";
  return escaped(comment.substr(0, end + 1));
}

/// A table of a class's public functions; empty if it has none.
std::string members_table(const Declaration& type) {
  if (type.kind != Kind::type || type.text.starts_with("enum")) return "";
  std::vector<std::string> lines = type.body;
  lines.erase(std::find(lines.begin(), lines.end(), " private:"), lines.end());
  std::string rows, notes;
  const std::vector<Declaration> members = read_declarations(lines);
  for (const Declaration& member : members)
    if (member.kind == Kind::function && !is_overload(member, members))
      rows += "| `" + escaped(member.text) + "` | " + cell(member.name, member.comment, notes) + " |\n";
  return rows.empty() ? "" : "\n| member of `" + type.name + "` | what it does |\n| --- | --- |\n" + rows + notes;
}

/// More fields than a cell holds join the notes.
std::string options_cell(const Declaration& declaration, const Types& types, std::string& notes) {
  const std::string options = options_text(declaration, types);
  if (options.size() <= max_cell) return escaped(options);
  notes += "\n`" + declaration.name + "` has the fields " + options + ".\n";
  return "below";
}

std::string row(const Declaration& declaration, const Types& types, std::string& notes) {
  const std::string& shown = declaration.kind == Kind::function ? declaration.text : declaration.name;
  const std::string options = options_cell(declaration, types, notes);
  return "| `" + escaped(shown) + "` | " + options + " | " + cell(declaration.name, declaration.comment, notes) +
         " |\n";
}

}  // namespace

const std::vector<ReferencePage>& reference_pages() {
  static const std::vector<ReferencePage> pages{
      {"layers.md",
       "# Layers, losses and initialisers",
       "Everything in `nn/`, namespace `minima::nn`; `<minima/minima.h>` includes what `nn/nn.h` lists. The headers "
       "of\n"
       "`nn/attention/`, `nn/lazy/` and `nn/parametrize/` are among those that programs include by themselves. Losses "
       "and\n"
       "activations also exist as functions: see [operators.md](operators.md).",
       "nn",
       {"parametrize/computed.h"}},
      {"transforms.md",
       "# Datasets, samplers and transforms",
       "Everything in `data/`, namespace `minima::data`. [data.md](data.md) explains how the parts fit together.",
       "data",
       {"_impl.h", "_job.h", "/pipeline.h", "/job_trace.h", "/uploader.h", "/change_pixels.h"}},
      {"optimizers.md",
       "## Reference",
       "Everything in `optim/`, namespace `minima::optim`.",
       "optim",
       {"_impl.h", "_rule.h", "optim/setting.h", "optim/update/"}},
      {"reference.md",
       "# Reference of classes",
       "What a training program calls, with its members: everything in `train/` (metrics, progress, logs, monitors; "
       "namespaces\n"
       "`minima` and `minima::train`), then tensors, modules, files and serving. [training.md](training.md) shows them "
       "at work.",
       "train",
       {"_impl.h", "/budget_plan.h", "/graph_driver.h", "/step_signature.h", "captured_step/recording.h",
        "logs/message.h", "/summaries.h", "/run_status.h", "/metrics_server.h"},
       true},
      {"training.md",
       "## Reference of distributions",
       "Everything in `distributions/`, namespace `minima::distributions`.",
       "distributions",
       {"standard_gamma.h", "class_shapes.h", "/triangular.h"}},
      {"simulated-reference.md",
       "# Reference of simulated GPUs",
       "What tests and dry runs on [simulated GPUs](simulated-gpu.md) call: namespace `simulated`, headers included as "
       "in\n`#include \"simulated/simulation.h\"`.",
       "simulated",
       {},
       true,
       {"simulated/simulation.h", "simulated/plans.h", "simulated/machine/report.h", "simulated/kernels/simt.h",
        "simulated/census/census.h", "simulated/machine/cost.h", "simulated/machine/gpu_kind.h",
        "simulated/machine/time_model.h", "simulated/machine/kernel_counts.h", "simulated/dryrun/dry_run.h",
        "simulated/dryrun/predict_advice.h", "simulated/dryrun/report.h"}},
  };
  return pages;
}

namespace {

std::string tables(const std::vector<Header>& headers, const std::string& heading, const Types& types, bool members) {
  std::string text;
  for (const Header& header : headers) {
    std::string notes;
    text += "\n" + heading + "[" + header.path + "](../" + header.path + ")\n\n";
    if (!header.introduction.empty()) text += header.introduction + "\n\n";
    text += "| name | options | what it does |\n| --- | --- | --- |\n";
    for (const Declaration& declaration : header.declarations)
      if (!is_overload(declaration, header.declarations)) text += row(resolved(declaration, types), types, notes);
    text += notes;
    for (const Declaration& declaration : header.declarations)
      if (members) text += members_table(declaration);
  }
  return text;
}

}  // namespace

std::string text_of(const ReferencePage& page) {
  std::string text =
      page.title + "\n\n" + page.about + "\n" +
      "Generated from the headers' doc comments; a test fails when it is not current and names the command "
      "that\nwrites it. Options are fields of an aggregate, here with their defaults.\n";
  const std::string heading = page.title.starts_with("## ") ? "### " : "## ";
  const Types types = types_for(page);
  text += tables(headers_of(page.folder, page.internal, page.only), heading, types, page.members);
  for (const Section& section : sections_of(page))
    text += "\n" + section.text +
            tables(headers_of(section.folder, section.internal, section.only), "#" + heading, types, page.members);
  return text;
}

std::vector<std::string> undocumented(const ReferencePage& page) {
  const Types types = types_for(page);
  std::vector<Header> headers = headers_of(page.folder, page.internal, page.only);
  for (const Section& section : sections_of(page))
    for (Header& header : headers_of(section.folder, section.internal, section.only))
      headers.push_back(std::move(header));
  std::vector<std::string> names;
  for (const Header& header : headers)
    for (const Declaration& declaration : header.declarations)
      if (resolved(declaration, types).comment.empty() && !is_overload(declaration, header.declarations))
        names.push_back(header.path + ": " + declaration.name);
  return names;
}

}  // namespace minima::test
