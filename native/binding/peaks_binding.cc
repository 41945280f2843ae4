#include "../kernels/levels/peaks.h"

#include "handle.h"
#include "values.h"

EARSHOT_HANDLE(Peaks, 1)

namespace earshot::binding::peaks {
namespace {

Napi::Value create(const Napi::CallbackInfo& info) {
  return make_handle<Peaks>(info.Env(), simd_of(info.Env()), sample_rate(info, 0), channel_count(info, 1),
                            whole(info, 2, "expectedFrames", 0, 1e12));
}

Napi::Value push(const Napi::CallbackInfo& info) {
  Peaks& peaks = from_handle<Peaks>(info);
  const Planes p = planes(info, 1, "planes", peaks.channels(), 2);
  peaks.push(p.read(), p.frames);
  return info.Env().Undefined();
}

Napi::Value finish(const Napi::CallbackInfo& info) {
  Peaks& peaks = from_handle<Peaks>(info);
  peaks.finish();
  Napi::Object result = Napi::Object::New(info.Env());
  result.Set("peak", peaks.peak());
  result.Set("level500", to_js(info.Env(), peaks.finest()));
  result.Set("level50", to_js(info.Env(), peaks.merged(10)));
  result.Set("level5", to_js(info.Env(), peaks.merged(100)));
  return result;
}

}  // namespace

void add(Napi::Env env, Napi::Object exports) {
  exports.Set("peaksCreate", Napi::Function::New(env, create));
  exports.Set("peaksPush", Napi::Function::New(env, push));
  exports.Set("peaksFinish", Napi::Function::New(env, finish));
}

}  // namespace earshot::binding::peaks
