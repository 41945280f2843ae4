#include "../kernels/words/token_scores.h"

#include "values.h"

namespace earshot::binding::token_scores {
namespace {

Napi::Value score(const Napi::CallbackInfo& info) {
  const Plane logits = plane(info[0], "logits");
  const size_t from = size_t(whole(info, 1, "from", 0, double(logits.length)));
  const size_t to = size_t(whole(info, 2, "to", double(from), double(logits.length)));
  if (to == from) throw Napi::TypeError::New(info.Env(), "Expected to to be greater than from");
  const TokenScores scores = score_tokens(simd_of(info.Env()), logits.data + from, to - from);
  Napi::Object out = Napi::Object::New(info.Env());
  out.Set("best", double(from + scores.best));
  out.Set("most", scores.most);
  out.Set("logSum", scores.log_sum);
  return out;
}

Napi::Value likeliest(const Napi::CallbackInfo& info) {
  const Plane logits = plane(info[0], "logits");
  std::vector<uint32_t> best(size_t(whole(info, 1, "most", 1, 1024)));
  const size_t found = likeliest_tokens(simd_of(info.Env()), logits.data, logits.length, best.size(), best.data());
  Napi::Array out = Napi::Array::New(info.Env(), found);
  for (size_t i = 0; i < found; i++) out.Set(uint32_t(i), best[i]);
  return out;
}

}  // namespace

void add(Napi::Env env, Napi::Object exports) {
  exports.Set("scoreTokens", Napi::Function::New(env, score));
  exports.Set("likeliestTokens", Napi::Function::New(env, likeliest));
}

}  // namespace earshot::binding::token_scores
