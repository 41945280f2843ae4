#include "../kernels/words/nearest_row.h"

#include "values.h"

namespace earshot::binding::nearest_row {
namespace {

constexpr double kMostLength = 4096, kMostCount = 16777216;

// rows, length, count, item, preferred
Napi::Value nearest(const Napi::CallbackInfo& info) {
  const size_t length = size_t(whole(info, 1, "length", 1, kMostLength));
  const size_t count = size_t(whole(info, 2, "count", 2, kMostCount));
  const size_t item = size_t(whole(info, 3, "item", 0, double(count - 1)));
  const size_t preferred = size_t(whole(info, 4, "preferred", 0, double(count)));
  const Plane rows = at_least(info, 0, "rows", count * length);
  return Napi::Number::New(
      info.Env(), double(earshot::nearest_row(simd_of(info.Env()), rows.data, length, count, item, preferred)));
}

}  // namespace

void add(Napi::Env env, Napi::Object exports) { exports.Set("nearestRow", Napi::Function::New(env, nearest)); }

}  // namespace earshot::binding::nearest_row
