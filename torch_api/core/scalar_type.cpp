#include <c10/core/DefaultDtype.h>
#include <c10/core/ScalarType.h>

#include <atomic>

namespace c10 {

namespace {

struct TypeInfo {
  ScalarType type;
  minima::DType native;
};
constexpr TypeInfo native_types[] = {
    {ScalarType::Byte, minima::uint8},
    {ScalarType::Char, minima::int8},
    {ScalarType::Int, minima::int32},
    {ScalarType::Long, minima::int64},
    {ScalarType::Half, minima::float16},
    {ScalarType::Float, minima::float32},
    {ScalarType::Double, minima::float64},
    {ScalarType::ComplexFloat, minima::complex64},
    {ScalarType::ComplexDouble, minima::complex128},
    {ScalarType::Bool, minima::boolean},
    {ScalarType::BFloat16, minima::bfloat16},
};

std::atomic<ScalarType> default_dtype = ScalarType::Float;

}  // namespace

const char* toString(ScalarType type) {
  switch (type) {
#define MINIMA_TORCH_DTYPE(cpp_type, name, number) \
  case ScalarType::name: return #name;
    AT_FORALL_SCALAR_TYPES_WITH_COMPLEX_AND_QINTS_(MINIMA_TORCH_DTYPE)
#undef MINIMA_TORCH_DTYPE
#define MINIMA_TORCH_DTYPE(name) \
  case ScalarType::name: return #name;
    MINIMA_TORCH_DTYPE(ComplexHalf)
    MINIMA_TORCH_DTYPE(QInt8)
    MINIMA_TORCH_DTYPE(QUInt8)
    MINIMA_TORCH_DTYPE(QInt32)
    MINIMA_TORCH_DTYPE(QUInt4x2)
    MINIMA_TORCH_DTYPE(QUInt2x4)
    MINIMA_TORCH_DTYPE(Bits1x8)
    MINIMA_TORCH_DTYPE(Bits2x4)
    MINIMA_TORCH_DTYPE(Bits4x2)
    MINIMA_TORCH_DTYPE(Bits8)
    MINIMA_TORCH_DTYPE(Bits16)
    MINIMA_TORCH_DTYPE(Float8_e5m2)
    MINIMA_TORCH_DTYPE(Float8_e4m3fn)
    MINIMA_TORCH_DTYPE(Float8_e5m2fnuz)
    MINIMA_TORCH_DTYPE(Float8_e4m3fnuz)
    MINIMA_TORCH_DTYPE(UInt16)
    MINIMA_TORCH_DTYPE(UInt32)
    MINIMA_TORCH_DTYPE(UInt64)
    MINIMA_TORCH_DTYPE(Undefined)
#undef MINIMA_TORCH_DTYPE
    default: return "UNKNOWN_SCALAR";
  }
}

minima::DType native(ScalarType type) {
  for (const TypeInfo& info : native_types)
    if (info.type == type) return info.native;
  throw minima::DTypeError(str("minima has no tensors of type ", toString(type), "; use ",
                               isIntegralType(type, false) ? "kInt or kLong" : "kFloat or kBFloat16"));
}

ScalarType scalar_type(minima::DType dtype) {
  for (const TypeInfo& info : native_types)
    if (info.native == dtype) return info.type;
  return ScalarType::Undefined;
}

std::size_t elementSize(ScalarType type) {
  switch (type) {
    case ScalarType::Short:
    case ScalarType::UInt16: return 2;
    case ScalarType::UInt32: return 4;
    case ScalarType::UInt64: return 8;
    default: return minima::size_of(native(type));
  }
}

bool canCast(ScalarType from, ScalarType to) {
  if (isComplexType(from) && !isComplexType(to)) return false;
  if (isFloatingType(from) && isIntegralType(to, false)) return false;
  return !(from != ScalarType::Bool && to == ScalarType::Bool);
}

ScalarType promoteTypes(ScalarType a, ScalarType b) {
  if (a == b) return a;
  // minima has no int16, so it takes uint8 with int8 to int32
  const auto is_pair = [&](ScalarType x, ScalarType y) { return (a == x && b == y) || (a == y && b == x); };
  if (is_pair(ScalarType::Byte, ScalarType::Char)) return ScalarType::Short;
  if (a == ScalarType::Short || b == ScalarType::Short) {
    const ScalarType other = a == ScalarType::Short ? b : a;
    return elementSize(other) <= 2 && isIntegralType(other, true) ? ScalarType::Short : other;
  }
  return scalar_type(minima::promote(native(a), native(b)));
}

void set_default_dtype(caffe2::TypeMeta dtype) { default_dtype = dtype.toScalarType(); }
ScalarType get_default_dtype_as_scalartype() { return default_dtype; }
caffe2::TypeMeta get_default_dtype() { return caffe2::TypeMeta(default_dtype); }
caffe2::TypeMeta get_default_complex_dtype() { return caffe2::TypeMeta(toComplexType(default_dtype)); }

}  // namespace c10

namespace caffe2 {

std::string_view TypeMeta::name() const {
  switch (type_) {
    case c10::ScalarType::Byte: return "unsigned char";
    case c10::ScalarType::Char: return "signed char";
    case c10::ScalarType::Short: return "short int";
    case c10::ScalarType::Int: return "int";
    case c10::ScalarType::Long: return "long int";
    case c10::ScalarType::Half: return "c10::Half";
    case c10::ScalarType::Float: return "float";
    case c10::ScalarType::Double: return "double";
    case c10::ScalarType::ComplexFloat: return "c10::complex<float>";
    case c10::ScalarType::ComplexDouble: return "c10::complex<double>";
    case c10::ScalarType::Bool: return "bool";
    case c10::ScalarType::BFloat16: return "c10::BFloat16";
    default: return "nullptr (uninitialized)";
  }
}

std::ostream& operator<<(std::ostream& out, TypeMeta meta) { return out << meta.name(); }

}  // namespace caffe2
