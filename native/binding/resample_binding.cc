#include "../kernels/sound/resample.h"

#include <cmath>

#include "values.h"

namespace earshot::binding::resample {
namespace {

constexpr double kMostStep = 16, kMostCount = 16777216;

// samples, start, step, out, count
Napi::Value run(const Napi::CallbackInfo& info) {
  const size_t count = size_t(whole(info, 4, "count", 0, kMostCount));
  const double start = number(info, 1, "start", double(kResampleBefore), 1e9);
  const double step = number(info, 2, "step", 0, kMostStep);
  const double last = count == 0 ? 0 : std::floor(start + step * double(count - 1)) + double(kResampleAfter) + 1;
  const Plane samples = at_least(info, 0, "samples", size_t(last));
  const Plane out = at_least(info, 3, "out", count);
  earshot::resample(simd_of(info.Env()), samples.data, start, step, out.data, count);
  return info.Env().Undefined();
}

}  // namespace

void add(Napi::Env env, Napi::Object exports) { exports.Set("resample", Napi::Function::New(env, run)); }

}  // namespace earshot::binding::resample
