#include <minima/nn/containers/parameter_list.h>

#include <minima/nn/containers/sequential.h>
#include <minima/nn/module/any_module.h>
#include <minima/nn/module/listed_parameter.h>
#include <minima/nn/module/parameter.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace minima::nn {

void ParameterList::push_back(Parameter parameter) {
  detail::add_item(*this, std::to_string(size()), AnyModule(detail::ListedParameter(std::move(parameter))));
}

std::size_t ParameterList::size() const { return detail::items(*this).size(); }

const Parameter& ParameterList::operator[](std::int64_t index) const {
  return detail::item(*this, index).as<detail::ListedParameter>().value;
}

}  // namespace minima::nn
