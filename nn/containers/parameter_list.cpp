#include <minima/nn/containers/parameter_list.h>

#include <minima/nn/containers/sequential.h>
#include <minima/nn/module/any_module.h>
#include <minima/nn/module/listed_parameter.h>
#include <minima/nn/module/parameter.h>
#include <minima/nn/module/registry.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace minima::nn {

void ParameterList::push_back(Parameter parameter) {
  detail::add_item(*this, std::to_string(size()), AnyModule(detail::ListedParameter(std::move(parameter))));
}

std::size_t ParameterList::size() const { return detail::items(*this).size(); }

const Parameter& ParameterList::operator[](std::int64_t index) const {
  return detail::item(*this, index).as<detail::ListedParameter>().value;
}

void ParameterDict::insert(const std::string& name, Parameter parameter) {
  detail::add_item(*this, name, AnyModule(detail::ListedParameter(std::move(parameter))));
}

std::vector<std::string> ParameterDict::names() const { return detail::Registry::state(*this).item_names; }

std::size_t ParameterDict::size() const { return detail::items(*this).size(); }

bool ParameterDict::contains(const std::string& name) const {
  const std::vector<std::string> known = names();
  return std::find(known.begin(), known.end(), name) != known.end();
}

const Parameter& ParameterDict::operator[](const std::string& name) const {
  const std::vector<std::string> known = names();
  std::string list;
  for (std::size_t i = 0; i < known.size(); ++i) {
    if (known[i] == name) return detail::items(*this)[i].as<detail::ListedParameter>().value;
    list.append(list.empty() ? "" : ", ").append(known[i]);
  }
  throw IndexError(
      str(type_name(), ": no parameter named \"", name, "\"; it has ", list.empty() ? "none" : list.c_str()));
}

}  // namespace minima::nn
