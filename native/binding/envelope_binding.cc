#include "../kernels/levels/envelope.h"

#include "handle.h"
#include "values.h"

EARSHOT_HANDLE(Envelope, 5)

namespace earshot::binding::envelope {
namespace {

Napi::Value create(const Napi::CallbackInfo& info) {
  const uint32_t rate = sample_rate(info, 0);
  const size_t channels = channel_count(info, 1);
  // A hop must be a frame or more.
  return make_handle<Envelope>(info.Env(), simd_of(info.Env()), rate, channels,
                               number(info, 2, "hopSeconds", 1.0 / rate, 3600));
}

Napi::Value push(const Napi::CallbackInfo& info) {
  Envelope& envelope = from_handle<Envelope>(info);
  const Planes p = planes(info, 1, "planes", envelope.channels(), 2);
  envelope.push(p.read(), p.frames);
  return info.Env().Undefined();
}

Napi::Value finish(const Napi::CallbackInfo& info) {
  Envelope& envelope = from_handle<Envelope>(info);
  envelope.finish();
  return to_js(info.Env(), envelope.mean_square());
}

}  // namespace

void add(Napi::Env env, Napi::Object exports) {
  exports.Set("envelopeCreate", Napi::Function::New(env, create));
  exports.Set("envelopePush", Napi::Function::New(env, push));
  exports.Set("envelopeFinish", Napi::Function::New(env, finish));
}

}  // namespace earshot::binding::envelope
