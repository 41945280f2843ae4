#include "../kernels/sound/stft.h"

#include "handle.h"
#include "values.h"

EARSHOT_HANDLE(Stft, 9)

namespace earshot::binding::stft {
namespace {

constexpr double kMostCount = 1048576;
constexpr double kMostScale = 1e6;

Napi::Value create(const Napi::CallbackInfo& info) {
  const Plane window = plane(info[0], "window");
  if (!Stft::fits(window.length)) {
    throw Napi::TypeError::New(info.Env(), "Expected a window of " + std::to_string(Stft::kLeastFrame) + " to " +
                                               std::to_string(Stft::kMostFrame) +
                                               " samples, a multiple of 4 and a product of 2, 3 and 5, but received " +
                                               std::to_string(window.length));
  }
  const size_t hop = size_t(whole(info, 1, "hop", 1, double(window.length)));
  return make_handle<Stft>(info.Env(), simd_of(info.Env()),
                           std::vector<float>(window.data, window.data + window.length), hop);
}

Napi::Value forward(const Napi::CallbackInfo& info) {
  Stft& stft = from_handle<Stft>(info);
  const size_t count = size_t(whole(info, 2, "count", 0, kMostCount));
  const float scale = float(number(info, 3, "scale", -kMostScale, kMostScale));
  const Plane samples = at_least(info, 1, "samples", stft.span(count));
  const Plane re = at_least(info, 4, "re", count * stft.bins()), im = at_least(info, 5, "im", count * stft.bins());
  stft.forward(samples.data, count, scale, re.data, im.data);
  return info.Env().Undefined();
}

Napi::Value inverse(const Napi::CallbackInfo& info) {
  Stft& stft = from_handle<Stft>(info);
  const size_t count = size_t(whole(info, 3, "count", 0, kMostCount));
  const float scale = float(number(info, 4, "scale", -kMostScale, kMostScale));
  const Plane re = at_least(info, 1, "re", count * stft.bins()), im = at_least(info, 2, "im", count * stft.bins());
  const Plane out = at_least(info, 5, "out", stft.span(count));
  stft.inverse(re.data, im.data, count, scale, out.data);
  return info.Env().Undefined();
}

}  // namespace

void add(Napi::Env env, Napi::Object exports) {
  exports.Set("stftCreate", Napi::Function::New(env, create));
  exports.Set("stftForward", Napi::Function::New(env, forward));
  exports.Set("stftInverse", Napi::Function::New(env, inverse));
}

}  // namespace earshot::binding::stft
