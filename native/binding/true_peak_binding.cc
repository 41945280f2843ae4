#include "../kernels/levels/true_peak.h"

#include "handle.h"
#include "values.h"

EARSHOT_HANDLE(TruePeak, 3)

namespace earshot::binding::true_peak {
namespace {

Napi::Value create(const Napi::CallbackInfo& info) {
  return make_handle<TruePeak>(info.Env(), simd_of(info.Env()), sample_rate(info, 0), channel_count(info, 1));
}

Napi::Value push(const Napi::CallbackInfo& info) {
  TruePeak& meter = from_handle<TruePeak>(info);
  const Planes p = planes(info, 1, "planes", meter.channels().size(), 2);
  meter.push(p.read(), p.frames);
  return info.Env().Undefined();
}

/** True peak and sample peak of each channel in turn. */
Napi::Value finish(const Napi::CallbackInfo& info) {
  TruePeak& meter = from_handle<TruePeak>(info);
  meter.finish();
  std::vector<double> peaks;
  for (const TruePeak::Channel& c : meter.channels()) peaks.insert(peaks.end(), {c.true_peak, c.sample_peak});
  return to_js(info.Env(), peaks);
}

}  // namespace

void add(Napi::Env env, Napi::Object exports) {
  exports.Set("truePeakCreate", Napi::Function::New(env, create));
  exports.Set("truePeakPush", Napi::Function::New(env, push));
  exports.Set("truePeakFinish", Napi::Function::New(env, finish));
}

}  // namespace earshot::binding::true_peak
