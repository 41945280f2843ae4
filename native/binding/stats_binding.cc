#include "../kernels/levels/stats.h"

#include "handle.h"
#include "values.h"

EARSHOT_HANDLE(Stats, 4)

namespace earshot::binding::stats {
namespace {

Napi::Value create(const Napi::CallbackInfo& info) {
  return make_handle<Stats>(info.Env(), simd_of(info.Env()), channel_count(info, 0));
}

Napi::Value push(const Napi::CallbackInfo& info) {
  Stats& stats = from_handle<Stats>(info);
  const Planes p = planes(info, 1, "planes", stats.channels().size(), 2);
  stats.push(p.read(), p.frames);
  return info.Env().Undefined();
}

Napi::Value result(const Napi::CallbackInfo& info) {
  const Stats all = from_handle<Stats>(info).drained();
  std::vector<double> flat;
  for (size_t c = 0; c < all.channels().size(); c++) {
    const Stats::Channel& channel = all.channels()[c];
    flat.insert(flat.end(), {all.mean(c), all.mean_square(c), double(channel.peak), double(channel.clipped)});
  }
  Napi::Object out = Napi::Object::New(info.Env());
  out.Set("frames", double(all.frames()));
  out.Set("unusable", double(all.unusable()));
  out.Set("correlation", all.correlation());
  out.Set("channels", to_js(info.Env(), flat));
  return out;
}

}  // namespace

void add(Napi::Env env, Napi::Object exports) {
  exports.Set("statsCreate", Napi::Function::New(env, create));
  exports.Set("statsPush", Napi::Function::New(env, push));
  exports.Set("statsResult", Napi::Function::New(env, result));
}

}  // namespace earshot::binding::stats
