// A plain C face of the kernels for WebAssembly: numbers and addresses only. JavaScript checks every argument before it
// calls (src/library/kernels/wasm), as native/binding does for the addon.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "../kernels/base/simd.h"

#define EXPORT(name) extern "C" __attribute__((visibility("default"), export_name(#name)))

namespace earshot::wasm {

constexpr Simd kSimd = Simd::baseline;

using In = const float* const*;
using Out = float* const*;

/** Results of the last call that has several, or some of changing length: JavaScript copies them from here. */
struct Answers {
  double numbers[8];
  const void* list;
  std::vector<float> floats;
  std::vector<double> doubles;
  std::vector<int8_t> bytes;
};
inline Answers answers;

template <class T> size_t give(const std::vector<T>& values) {
  answers.list = values.data();
  return values.size();
}

template <class T> std::vector<T> taken(const T* from, size_t count) { return std::vector<T>(from, from + count); }

}  // namespace earshot::wasm
