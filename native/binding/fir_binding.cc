#include "../kernels/sound/fir.h"

#include "handle.h"
#include "values.h"

EARSHOT_HANDLE(Fir, 8)

namespace earshot::binding::fir {
namespace {

Napi::Value create(const Napi::CallbackInfo& info) {
  const size_t channels = channel_count(info, 0);
  const Plane taps = plane(info[1], "taps");
  if (taps.length < 1 || taps.length > Fir::kMostTaps) {
    throw Napi::TypeError::New(info.Env(), "Expected 1 to " + std::to_string(Fir::kMostTaps) + " taps but received " +
                                               std::to_string(taps.length));
  }
  return make_handle<Fir>(info.Env(), simd_of(info.Env()), channels,
                          std::vector<float>(taps.data, taps.data + taps.length));
}

Napi::Value latency(const Napi::CallbackInfo& info) {
  return Napi::Number::New(info.Env(), double(from_handle<Fir>(info).latency_frames()));
}

Napi::Value process(const Napi::CallbackInfo& info) {
  Fir& fir = from_handle<Fir>(info);
  const auto all = all_planes(info, fir.channels(), {{1, "planes"}, {2, "out"}}, 3);
  const Planes &in = all[0], &out = all[1];
  if (out.frames < in.frames) throw Napi::TypeError::New(info.Env(), "Expected out to be as long as planes");
  fir.process(in.read(), out.write(), in.frames);
  return info.Env().Undefined();
}

}  // namespace

void add(Napi::Env env, Napi::Object exports) {
  exports.Set("firCreate", Napi::Function::New(env, create));
  exports.Set("firLatency", Napi::Function::New(env, latency));
  exports.Set("firProcess", Napi::Function::New(env, process));
}

}  // namespace earshot::binding::fir
