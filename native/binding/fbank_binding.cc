#include "../kernels/words/fbank.h"

#include "handle.h"
#include "values.h"

EARSHOT_HANDLE(Fbank, 11)

namespace earshot::binding::fbank {
namespace {

constexpr double kMostCount = 1048576;

Napi::Value create(const Napi::CallbackInfo& info) {
  const size_t bands = size_t(whole(info, 0, "bands", 1, double(Fbank::kMostBands)));
  const double low = number(info, 1, "lowHz", 0, Fbank::kSampleRate / 2 - 1);
  const double high = number(info, 2, "highHz", low + 1, Fbank::kSampleRate / 2);
  const auto form = Fbank::Form(size_t(whole(info, 3, "form", 0, 1)));
  return make_handle<Fbank>(info.Env(), simd_of(info.Env()), form, bands, low, high);
}

Napi::Value rows(const Napi::CallbackInfo& info) {
  Fbank& fbank = from_handle<Fbank>(info);
  const size_t count = size_t(whole(info, 2, "count", 0, kMostCount));
  const Plane samples = at_least(info, 1, "samples", fbank.span(count));
  const Plane out = at_least(info, 3, "rows", count * fbank.bands());
  fbank.rows(samples.data, count, out.data);
  return info.Env().Undefined();
}

}  // namespace

void add(Napi::Env env, Napi::Object exports) {
  exports.Set("fbankCreate", Napi::Function::New(env, create));
  exports.Set("fbankRows", Napi::Function::New(env, rows));
}

}  // namespace earshot::binding::fbank
