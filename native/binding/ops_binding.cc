#include "../kernels/sound/ops.h"
#include "../kernels/sound/pcm16.h"

#include <algorithm>

#include "elements.h"
#include "values.h"

namespace earshot::binding::ops {
namespace {

constexpr double kMostGain = 1e6;
constexpr double kMostFrames = 9007199254740991.0;

Napi::Value gain(const Napi::CallbackInfo& info) {
  const Planes p = planes(info, 0, "planes", 0, 2);
  const float g = float(number(info, 1, "gain", -kMostGain, kMostGain));
  for (float* plane : p.data) apply_gain(simd_of(info.Env()), plane, p.frames, g);
  return info.Env().Undefined();
}

Napi::Value mix(const Napi::CallbackInfo& info) {
  const auto all = all_planes(info, 0, {{0, "target"}, {1, "source"}}, 3);
  const Planes &target = all[0], &source = all[1];
  const float g = float(number(info, 2, "gain", -kMostGain, kMostGain));
  const size_t frames = std::min(target.frames, source.frames);
  if (target.frames != source.frames)
    throw Napi::TypeError::New(info.Env(), "Expected target and source of one length, or frames");
  for (size_t c = 0; c < target.data.size(); c++)
    mix_into(simd_of(info.Env()), target.data[c], source.data[c], frames, g);
  return info.Env().Undefined();
}

// outgoing, incoming, out, equalPower, position, total, frames
Napi::Value crossfade(const Napi::CallbackInfo& info) {
  const auto all = all_planes(info, 0, {{0, "outgoing"}, {1, "incoming"}, {2, "out"}}, 6);
  const Planes &outgoing = all[0], &incoming = all[1], &out = all[2];
  const size_t channels = outgoing.data.size();
  const FadeShape shape = info[3].ToBoolean().Value() ? FadeShape::equal_power : FadeShape::linear;
  const uint64_t position = whole(info, 4, "position", 0, kMostFrames), total = whole(info, 5, "total", 0, kMostFrames);
  const size_t frames = outgoing.frames;
  if (incoming.frames != frames || out.frames != frames)
    throw Napi::TypeError::New(info.Env(), "Expected outgoing, incoming and out of one length");
  if (position + frames > total) {
    throw Napi::TypeError::New(info.Env(), "Expected position + frames of at most total (" + std::to_string(total) +
                                               ") but received " + std::to_string(position + frames));
  }
  const Simd simd = simd_of(info.Env());
  float falling[kFadeTile], rising[kFadeTile];
  for (size_t at = 0; at < frames; at += kFadeTile) {
    const size_t n = std::min(kFadeTile, frames - at);
    fade_gains(simd, shape, position + at, total, n, falling, rising);
    for (size_t c = 0; c < channels; c++)
      mix_two(simd, outgoing.data[c] + at, falling, incoming.data[c] + at, rising, out.data[c] + at, n);
  }
  return info.Env().Undefined();
}

// plane, frames of a tile, out
Napi::Value ranges(const Napi::CallbackInfo& info) {
  const Plane source = plane(info[0], "plane");
  const size_t tile = size_t(whole(info, 1, "tileFrames", 1, kMostFrames));
  const Plane out = at_least(info, 2, "out", 2 * ((source.length + tile - 1) / tile));
  tile_ranges(simd_of(info.Env()), source.data, source.length, tile, out.data);
  return info.Env().Undefined();
}

// planes, frames, dithered, firstFrame, isPlanar, out
Napi::Value pcm16(const Napi::CallbackInfo& info) {
  const Planes p = planes(info, 0, "planes", 0, 1);
  const size_t channels = p.data.size();
  const Rounding rounding = info[2].ToBoolean().Value() ? Rounding::dithered : Rounding::nearest;
  const uint64_t first = whole(info, 3, "firstFrame", 0, kMostFrames);
  const bool planar = info[4].ToBoolean().Value();
  const auto out = elements<int16_t>(info, 5, "out", napi_int16_array, channels * p.frames);
  to_pcm16(simd_of(info.Env()), p.read(), channels, p.frames, rounding, first, out.data, planar ? 1 : channels,
           planar ? p.frames : 1);
  return info.Env().Undefined();
}

}  // namespace

void add(Napi::Env env, Napi::Object exports) {
  exports.Set("applyGain", Napi::Function::New(env, gain));
  exports.Set("mixInto", Napi::Function::New(env, mix));
  exports.Set("crossfade", Napi::Function::New(env, crossfade));
  exports.Set("tileRanges", Napi::Function::New(env, ranges));
  exports.Set("toPcm16", Napi::Function::New(env, pcm16));
}

}  // namespace earshot::binding::ops
