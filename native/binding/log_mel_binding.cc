#include "../kernels/words/log_mel.h"

#include "handle.h"
#include "values.h"

EARSHOT_HANDLE(LogMel, 10)

namespace earshot::binding::log_mel {
namespace {

constexpr double kMostFrames = 1048576;

Napi::Value create(const Napi::CallbackInfo& info) {
  const size_t bands = size_t(whole(info, 0, "bands", 1, double(LogMel::kMostBands)));
  return make_handle<LogMel>(info.Env(), simd_of(info.Env()), bands);
}

Napi::Value process(const Napi::CallbackInfo& info) {
  LogMel& kernel = from_handle<LogMel>(info);
  const size_t frames = size_t(whole(info, 2, "frames", 0, kMostFrames));
  const Plane samples = plane(info[1], "samples");
  const Plane out = plane(info[3], "out");
  if (out.length < frames * kernel.bands()) {
    throw Napi::TypeError::New(info.Env(), "Expected at least " + std::to_string(frames * kernel.bands()) +
                                               " elements in out but received " + std::to_string(out.length));
  }
  kernel.process(samples.data, samples.length, frames, out.data);
  return info.Env().Undefined();
}

}  // namespace

void add(Napi::Env env, Napi::Object exports) {
  exports.Set("logMelCreate", Napi::Function::New(env, create));
  exports.Set("logMelProcess", Napi::Function::New(env, process));
}

}  // namespace earshot::binding::log_mel
