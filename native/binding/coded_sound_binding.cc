#include "../kernels/words/coded_sound.h"

#include "values.h"

namespace earshot::binding::coded_sound {
namespace {

// bytes
Napi::Value holds(const Napi::CallbackInfo& info) {
  if (!info[0].IsTypedArray() || info[0].As<Napi::TypedArray>().TypedArrayType() != napi_uint8_array)
    throw Napi::TypeError::New(info.Env(), "Expected Uint8Array for bytes");
  const Napi::Uint8Array bytes = info[0].As<Napi::Uint8Array>();
  return Napi::Boolean::New(info.Env(), holds_coded_sound(bytes.Data(), bytes.ElementLength()));
}

}  // namespace

void add(Napi::Env env, Napi::Object exports) { exports.Set("holdsCodedSound", Napi::Function::New(env, holds)); }

}  // namespace earshot::binding::coded_sound
