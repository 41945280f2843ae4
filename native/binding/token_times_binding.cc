#include "../kernels/words/token_times.h"

#include "values.h"

namespace earshot::binding::token_times {
namespace {

constexpr double kMostTokens = 4096, kMostHeads = 4096, kMostPositions = 65536;

Napi::Value times(const Napi::CallbackInfo& info) {
  const size_t tokens = size_t(whole(info, 1, "tokens", 0, kMostTokens));
  const size_t heads = size_t(whole(info, 2, "heads", 1, kMostHeads));
  const size_t positions = size_t(whole(info, 3, "positions", 0, kMostPositions));
  const Plane attention = plane(info[0], "attention");
  if (attention.length < tokens * heads * positions) {
    throw Napi::TypeError::New(info.Env(), "Expected at least " + std::to_string(tokens * heads * positions) +
                                               " elements in attention but received " +
                                               std::to_string(attention.length));
  }
  return to_js(info.Env(), earshot::token_times(simd_of(info.Env()), attention.data, tokens, heads, positions));
}

}  // namespace

void add(Napi::Env env, Napi::Object exports) { exports.Set("tokenTimes", Napi::Function::New(env, times)); }

}  // namespace earshot::binding::token_times
