#pragma once

namespace torch::serialize {
class OutputArchive;
class InputArchive;
}  // namespace torch::serialize
