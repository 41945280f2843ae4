#include "../kernels/levels/spectrum.h"

#include "handle.h"
#include "values.h"

EARSHOT_HANDLE(Spectrum, 6)

namespace earshot::binding::spectrum {
namespace {

Napi::Value create(const Napi::CallbackInfo& info) {
  const uint32_t rate = sample_rate(info, 0);
  const size_t channels = channel_count(info, 1);
  const size_t size = size_t(whole(info, 2, "size", Fft::kLeast, Fft::kMost));
  if (size & (size - 1))
    throw Napi::TypeError::New(info.Env(), "Expected power of two for size but received " + std::to_string(size));
  // Closer than a sixteenth of the size costs much and shows nothing new.
  return make_handle<Spectrum>(info.Env(), simd_of(info.Env()), rate, channels, size,
                               number(info, 3, "everySeconds", double(size) / 16.0 / rate, 86400));
}

Napi::Value push(const Napi::CallbackInfo& info) {
  Spectrum& spectrum = from_handle<Spectrum>(info);
  const Planes p = planes(info, 1, "planes", spectrum.channels(), 2);
  spectrum.push(p.read(), p.frames);
  return info.Env().Undefined();
}

Napi::Value result(const Napi::CallbackInfo& info) {
  const Spectrum all = from_handle<Spectrum>(info).drained();
  Napi::Object out = Napi::Object::New(info.Env());
  out.Set("frames", double(all.frames()));
  out.Set("power", to_js(info.Env(), all.mean_power()));
  out.Set("maxPower", to_js(info.Env(), all.max_power()));
  return out;
}

}  // namespace

void add(Napi::Env env, Napi::Object exports) {
  exports.Set("spectrumCreate", Napi::Function::New(env, create));
  exports.Set("spectrumPush", Napi::Function::New(env, push));
  exports.Set("spectrumResult", Napi::Function::New(env, result));
}

}  // namespace earshot::binding::spectrum
