#include "../kernels/levels/limiter.h"

#include <cmath>

#include "handle.h"
#include "values.h"

EARSHOT_HANDLE(Limiter, 7)

namespace earshot::binding::limiter {
namespace {

Napi::Value create(const Napi::CallbackInfo& info) {
  Limiter::Options o;
  o.sample_rate = sample_rate(info, 0);
  o.channels = channel_count(info, 1);
  o.ceiling = std::pow(10.0, number(info, 2, "ceilingDbtp", -80, 20) / 20.0);
  o.gain = float(std::pow(10.0, number(info, 3, "gainDb", -120, 120) / 20.0));
  o.lookahead_seconds = number(info, 4, "lookaheadMs", 0.1, 100) / 1000.0;
  o.release_seconds = number(info, 5, "releaseMs", 1, 10000) / 1000.0;
  return make_handle<Limiter>(info.Env(), simd_of(info.Env()), o);
}

Napi::Value latency(const Napi::CallbackInfo& info) {
  return Napi::Number::New(info.Env(), double(from_handle<Limiter>(info).latency_frames()));
}

Napi::Value process(const Napi::CallbackInfo& info) {
  Limiter& limiter = from_handle<Limiter>(info);
  const auto all = all_planes(info, limiter.channels(), {{1, "planes"}, {2, "out"}}, 3);
  const Planes &in = all[0], &out = all[1];
  if (out.frames < in.frames) throw Napi::TypeError::New(info.Env(), "Expected out to be as long as planes");
  limiter.process(in.read(), out.write(), in.frames);
  return info.Env().Undefined();
}

Napi::Value max_reduction(const Napi::CallbackInfo& info) {
  return Napi::Number::New(info.Env(), from_handle<Limiter>(info).max_reduction_db());
}

}  // namespace

void add(Napi::Env env, Napi::Object exports) {
  exports.Set("limiterCreate", Napi::Function::New(env, create));
  exports.Set("limiterLatency", Napi::Function::New(env, latency));
  exports.Set("limiterProcess", Napi::Function::New(env, process));
  exports.Set("limiterMaxReduction", Napi::Function::New(env, max_reduction));
}

}  // namespace earshot::binding::limiter
