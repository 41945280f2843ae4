#include "../kernels/levels/loudness.h"

#include "handle.h"
#include "values.h"

EARSHOT_HANDLE(Loudness, 2)

namespace earshot::binding::loudness {
namespace {

Napi::Value create(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  const uint32_t rate = sample_rate(info, 0);
  if (!info[1].IsArray()) throw Napi::TypeError::New(env, "Expected array of numbers for weights");
  const Napi::Array array = info[1].As<Napi::Array>();
  const uint32_t count = array.Length();  // an accessor among the elements may make the array longer
  if (count < 1 || count > kMostChannels) {
    throw Napi::TypeError::New(env, "Expected 1 to 64 weights but received " + std::to_string(count));
  }
  std::vector<double> weights;
  for (uint32_t i = 0; i < count; i++) {
    const Napi::Value value = array.Get(i);
    const double weight = value.IsNumber() ? value.As<Napi::Number>().DoubleValue() : -1;
    if (!(weight >= 0 && weight <= 100))
      throw Napi::TypeError::New(env, "Expected number between 0 and 100 for weights[" + std::to_string(i) + "]");
    weights.push_back(weight);
  }
  return make_handle<Loudness>(env, simd_of(env), rate, std::move(weights));
}

Napi::Value push(const Napi::CallbackInfo& info) {
  Loudness& loudness = from_handle<Loudness>(info);
  const Planes p = planes(info, 1, "planes", loudness.channels(), 2);
  loudness.push(p.read(), p.frames);
  return info.Env().Undefined();
}

// Infinities and NaN travel as they are; the typed face turns them into null.
Napi::Value result(const Napi::CallbackInfo& info) {
  const LoudnessResult r = from_handle<Loudness>(info).result();
  Napi::Object out = Napi::Object::New(info.Env());
  out.Set("integratedLufs", r.integrated);
  out.Set("loudnessRangeLu", r.range);
  out.Set("maxMomentaryLufs", r.max_momentary);
  out.Set("maxShortTermLufs", r.max_short_term);
  out.Set("momentaryLufs", r.momentary);
  out.Set("shortTermLufs", r.short_term);
  out.Set("gatedBlocks", double(r.gated_blocks));
  return out;
}

Napi::Value series(const Napi::CallbackInfo& info) {
  return to_js(info.Env(), from_handle<Loudness>(info).short_term_series());
}

// The two sections' b0 b1 b2 a1 a2, for the test against the standard's tables.
Napi::Value filter(const Napi::CallbackInfo& info) {
  const KWeighting filter(simd_of(info.Env()), sample_rate(info, 0));
  std::vector<double> all;
  for (const Biquad& b : {filter.shelf(), filter.high_pass()}) all.insert(all.end(), {b.b0, b.b1, b.b2, b.a1, b.a2});
  return to_js(info.Env(), all);
}

}  // namespace

void add(Napi::Env env, Napi::Object exports) {
  exports.Set("loudnessCreate", Napi::Function::New(env, create));
  exports.Set("loudnessPush", Napi::Function::New(env, push));
  exports.Set("loudnessResult", Napi::Function::New(env, result));
  exports.Set("loudnessSeries", Napi::Function::New(env, series));
  exports.Set("kWeightingFilter", Napi::Function::New(env, filter));
}

}  // namespace earshot::binding::loudness
