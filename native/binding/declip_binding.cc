#include "../kernels/sound/declip.h"

#include "handle.h"
#include "values.h"

EARSHOT_HANDLE(Declip, 15)

namespace earshot::binding::declip {
namespace {

constexpr double kMostCount = 65536;
constexpr double kMostRounds = 100000;
constexpr double kMostLevel = 1e10;

Napi::Value create(const Napi::CallbackInfo& info) {
  const size_t frame = size_t(whole(info, 0, "frame", double(Declip::kLeastFrame), double(Declip::kMostFrame)));
  if (!Declip::fits(frame)) {
    throw Napi::TypeError::New(
        info.Env(), "Expected a frame that is a product of 2, 3 and 5 but received " + std::to_string(frame));
  }
  return make_handle<Declip>(info.Env(), simd_of(info.Env()), frame);
}

Napi::Value restore(const Napi::CallbackInfo& info) {
  Declip& declip = from_handle<Declip>(info);
  const size_t count = size_t(whole(info, 2, "count", 0, kMostCount));
  const float lowest = float(number(info, 3, "lowest", -kMostLevel, kMostLevel));
  const float highest = float(number(info, 4, "highest", -kMostLevel, kMostLevel));
  const size_t most_rounds = size_t(whole(info, 5, "mostRounds", 1, kMostRounds));
  const Plane samples = at_least(info, 1, "samples", count * declip.frame());
  const Plane out = at_least(info, 6, "out", count * declip.frame());
  const uint64_t rounds = declip.restore(samples.data, count, lowest, highest, most_rounds, out.data);
  return Napi::Number::New(info.Env(), double(rounds));
}

}  // namespace

void add(Napi::Env env, Napi::Object exports) {
  exports.Set("declipCreate", Napi::Function::New(env, create));
  exports.Set("declipRestore", Napi::Function::New(env, restore));
}

}  // namespace earshot::binding::declip
