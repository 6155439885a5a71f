#include <c10/core/TensorImpl.h>
#include <c10/util/Exception.h>

namespace c10 {

void TensorImpl::set_backend_meta(const intrusive_ptr<BackendMeta>&) {
  throw NotImplementedError("set_backend_meta: minima has no custom backends; keep such data in a map of your own");
}
void TensorImpl::shallow_copy_from(const TensorImpl*) {
  throw NotImplementedError("shallow_copy_from: use Tensor::set_data, which replaces data, shape and dtype");
}

}  // namespace c10
