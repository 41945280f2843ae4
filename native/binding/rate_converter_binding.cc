#include "../kernels/sound/rate_converter.h"

#include "handle.h"
#include "values.h"

EARSHOT_HANDLE(RateConverter, 19)

namespace earshot::binding::rate_converter {
namespace {

// fromRate, toRate, channels
Napi::Value create(const Napi::CallbackInfo& info) {
  const uint32_t from = sample_rate(info, 0), to = sample_rate(info, 1);
  return make_handle<RateConverter>(info.Env(), simd_of(info.Env()), channel_count(info, 2), from, to);
}

Napi::Value ready(const Napi::CallbackInfo& info) {
  const RateConverter& converter = from_handle<RateConverter>(info);
  return Napi::Number::New(info.Env(), double(converter.ready(size_t(whole(info, 1, "frames", 0, 4294967295.0)))));
}

Napi::Value rest(const Napi::CallbackInfo& info) {
  return Napi::Number::New(info.Env(), double(from_handle<RateConverter>(info).rest()));
}

void require(const Napi::CallbackInfo& info, const Planes& out, size_t frames) {
  if (out.frames < frames)
    throw Napi::TypeError::New(info.Env(), "Expected room for " + std::to_string(frames) +
                                               " frames in out but received " + std::to_string(out.frames));
}

// handle, planes, out, frames
Napi::Value process(const Napi::CallbackInfo& info) {
  RateConverter& converter = from_handle<RateConverter>(info);
  const auto all = all_planes(info, converter.channels(), {{1, "planes"}, {2, "out"}}, 4);
  const Planes &in = all[0], &out = all[1];
  const size_t frames = info[3].IsUndefined() ? in.frames : size_t(whole(info, 3, "frames", 0, double(in.frames)));
  require(info, out, converter.ready(frames));
  converter.process(in.read(), out.write(), frames);
  return info.Env().Undefined();
}

// handle, out
Napi::Value flush(const Napi::CallbackInfo& info) {
  RateConverter& converter = from_handle<RateConverter>(info);
  const Planes out = planes(info, 1, "out", converter.channels(), 2);
  require(info, out, converter.rest());
  converter.flush(out.write());
  return info.Env().Undefined();
}

Napi::Value close(const Napi::CallbackInfo& info) {
  from_handle<RateConverter>(info).close();
  return info.Env().Undefined();
}

}  // namespace

void add(Napi::Env env, Napi::Object exports) {
  exports.Set("rateConverterCreate", Napi::Function::New(env, create));
  exports.Set("rateConverterReady", Napi::Function::New(env, ready));
  exports.Set("rateConverterRest", Napi::Function::New(env, rest));
  exports.Set("rateConverterProcess", Napi::Function::New(env, process));
  exports.Set("rateConverterFlush", Napi::Function::New(env, flush));
  exports.Set("rateConverterClose", Napi::Function::New(env, close));
}

}  // namespace earshot::binding::rate_converter
