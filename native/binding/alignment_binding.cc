#include "../kernels/words/alignment.h"

#include <cmath>

#include "handle.h"
#include "values.h"

EARSHOT_HANDLE(Alignment, 12)

namespace earshot::binding::alignment {
namespace {

constexpr double kMostDimensions = 256;
constexpr double kMostFrames = 16777216;

/** An Int32Array's elements, copied. */
std::vector<int32_t> integers(const Napi::CallbackInfo& info, size_t index, const char* name) {
  const Napi::Value value = info[index];
  if (!value.IsTypedArray() || value.As<Napi::TypedArray>().TypedArrayType() != napi_int32_array)
    throw Napi::TypeError::New(info.Env(), std::string("Expected Int32Array for ") + name);
  const Napi::Int32Array array = value.As<Napi::Int32Array>();
  return {array.Data(), array.Data() + array.ElementLength()};
}

void require(const Napi::CallbackInfo& info, bool holds, const std::string& expected) {
  if (!holds) throw Napi::TypeError::New(info.Env(), "Expected " + expected);
}

std::vector<int32_t> limits(const Napi::CallbackInfo& info, size_t index, const char* name, size_t words) {
  std::vector<int32_t> values = integers(info, index, name);
  require(info, values.size() == words, std::string(name) + " to have one element per word");
  for (size_t w = 1; w < words; w++) require(info, values[w - 1] <= values[w], std::string(name) + " never to fall");
  return values;
}

// create(dimensions, reference, wordStarts, gapEntry, earliestStart, latestStart, earliestEnd, latestEnd, frames,
// scale)
Napi::Value create(const Napi::CallbackInfo& info) {
  const size_t dimensions = size_t(whole(info, 0, "dimensions", 1, kMostDimensions));
  const std::vector<int32_t> starts = integers(info, 2, "wordStarts");
  require(info, !starts.empty() && starts[0] == 0, "wordStarts to begin with 0");
  for (size_t w = 1; w < starts.size(); w++) require(info, starts[w - 1] < starts[w], "wordStarts to rise");
  const size_t words = starts.size() - 1;
  AlignmentWindows windows{limits(info, 4, "earliestStart", words), limits(info, 5, "latestStart", words),
                           limits(info, 6, "earliestEnd", words), limits(info, 7, "latestEnd", words)};
  const size_t frames = size_t(whole(info, 8, "frames", 0, kMostFrames));
  const float scale = float(number(info, 9, "scale", 0, 1e6));
  const Plane reference = plane(info[1], "reference"), gap_entry = plane(info[3], "gapEntry");
  require(info, reference.length == dimensions * size_t(starts.back()), "reference to have dimensions of each state");
  require(info, gap_entry.length == words + 1, "gapEntry to have one element more than words");
  return make_handle<Alignment>(
      info.Env(), dimensions, reference.data, std::vector<uint32_t>(starts.begin(), starts.end()),
      std::vector<float>(gap_entry.data, gap_entry.data + gap_entry.length), std::move(windows), frames, scale);
}

// push(handle, features, gapCosts, frames)
Napi::Value push(const Napi::CallbackInfo& info) {
  Alignment& alignment = from_handle<Alignment>(info);
  const size_t frames = size_t(whole(info, 3, "frames", 0, double(alignment.frames() - alignment.pushed())));
  const Plane features = plane(info[1], "features"), gap_costs = plane(info[2], "gapCosts");
  require(info, features.length >= frames * alignment.dimensions(), "features to have dimensions of each frame");
  require(info, gap_costs.length >= frames, "gapCosts to have an element per frame");
  alignment.push(features.data, gap_costs.data, frames);
  return info.Env().Undefined();
}

Napi::Value trace(const Napi::CallbackInfo& info) {
  Alignment& alignment = from_handle<Alignment>(info);
  require(info, alignment.pushed() == alignment.frames(), "all frames before the way back");
  return Napi::Boolean::New(info.Env(), alignment.trace());
}

template <class T> Napi::Value whole_numbers(Napi::Env env, const std::vector<T>& values) {
  Napi::Int32Array array = Napi::Int32Array::New(env, values.size());
  for (size_t i = 0; i < values.size(); i++) array[i] = values[i];
  return array;
}

Napi::Value result(const Napi::CallbackInfo& info) {
  const Alignment& alignment = from_handle<Alignment>(info);
  if (!alignment.found()) return info.Env().Null();
  Napi::Object out = Napi::Object::New(info.Env());
  out.Set("starts", whole_numbers(info.Env(), alignment.starts()));
  out.Set("ends", whole_numbers(info.Env(), alignment.ends()));
  out.Set("costs", to_js(info.Env(), alignment.costs()));
  return out;
}

}  // namespace

void add(Napi::Env env, Napi::Object exports) {
  exports.Set("alignmentCreate", Napi::Function::New(env, create));
  exports.Set("alignmentPush", Napi::Function::New(env, push));
  exports.Set("alignmentTrace", Napi::Function::New(env, trace));
  exports.Set("alignmentResult", Napi::Function::New(env, result));
}

}  // namespace earshot::binding::alignment
