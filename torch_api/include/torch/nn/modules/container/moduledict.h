#pragma once

#include <torch/nn/modules/container/modulelist.h>

#include <string>
#include <utility>
#include <vector>

namespace torch::nn {

/// Modules by name, in order of insertion. As in LibTorch, `pop` and `clear` take modules out of the dictionary, but
/// they stay registered.
class ModuleDictImpl : public Cloneable<ModuleDictImpl> {
  using Dict = OrderedDict<std::string, std::shared_ptr<Module>>;

 public:
  using Iterator = Dict::Iterator;
  using ConstIterator = Dict::ConstIterator;

  ModuleDictImpl() = default;
  explicit ModuleDictImpl(const std::vector<std::pair<std::string, std::shared_ptr<Module>>>& modules);
  explicit ModuleDictImpl(const Dict& modules);

  std::shared_ptr<Module> clone(const std::optional<Device>& device = std::nullopt) const override;
  void reset() override {}
  void pretty_print(std::ostream& stream) const override;

  std::vector<std::pair<std::string, std::shared_ptr<Module>>> items() const;
  std::vector<std::string> keys() const;
  std::vector<std::shared_ptr<Module>> values() const;
  Iterator begin() { return modules_.begin(); }
  ConstIterator begin() const { return modules_.begin(); }
  Iterator end() { return modules_.end(); }
  ConstIterator end() const { return modules_.end(); }
  std::size_t size() const noexcept { return modules_.size(); }
  bool empty() const noexcept { return modules_.is_empty(); }
  bool contains(const std::string& key) const noexcept { return modules_.contains(key); }

  std::shared_ptr<Module> operator[](const std::string& key) const { return modules_[key]; }
  template <typename M>
  M& at(const std::string& key) {
    return detail::cast_module<M>(*modules_[key], key);
  }
  template <typename M>
  const M& at(const std::string& key) const {
    return detail::cast_module<M>(*modules_[key], key);
  }

  void clear();
  std::shared_ptr<Module> pop(const std::string& key);

  /// Inserts modules, or replaces those of the same name.
  void update(const std::vector<std::pair<std::string, std::shared_ptr<Module>>>& modules);
  template <typename Container>
  void update(const Container& container) {
    for (const auto& item : container) insert(item.key(), item.value());
  }

 private:
  void insert(const std::string& key, std::shared_ptr<Module> module);

  Dict modules_;
};

TORCH_MODULE(ModuleDict);

}  // namespace torch::nn
