// Between JavaScript values and plain C++ values. Everything is checked here, so that kernels never see a bad length;
// a bad argument throws a JavaScript TypeError.
#pragma once

#include <napi.h>

#include <cstdint>
#include <string>
#include <vector>

#include "../kernels/simd.h"

namespace earshot::binding {

constexpr size_t kMostChannels = 64;
constexpr uint32_t kMostSampleRate = 768000;

/** A finite number within [least, most]. */
double number(const Napi::CallbackInfo& info, size_t index, const char* name, double least, double most);
/** A whole number within [least, most]. */
uint64_t whole(const Napi::CallbackInfo& info, size_t index, const char* name, double least, double most);
uint32_t sample_rate(const Napi::CallbackInfo& info, size_t index);
size_t channel_count(const Napi::CallbackInfo& info, size_t index);

/** A Float32Array's elements. */
struct Plane {
  float* data;
  size_t length;
};
Plane plane(const Napi::Value& value, const std::string& name);

/** Planes of a call and the frames it is about. */
struct Planes {
  std::vector<float*> data;
  size_t frames = 0;
  const float* const* read() const { return data.data(); }
  float* const* write() const { return data.data(); }
};
/**
 * Argument `index`: an array of Float32Arrays, `channels` of them (0: one or more). Argument `frames_index`: how many
 * frames, or undefined for the first plane's length. Every plane must be at least that long.
 */
Planes planes(const Napi::CallbackInfo& info, size_t index, const char* name, size_t channels, size_t frames_index);

/** A copy of the elements as a typed array that JavaScript owns. */
Napi::Value to_js(Napi::Env env, const std::vector<float>& values);
Napi::Value to_js(Napi::Env env, const std::vector<double>& values);
Napi::Value to_js(Napi::Env env, const std::vector<int8_t>& values);

/** The instruction set that was chosen when the addon was loaded into this environment. */
Simd simd_of(Napi::Env env);

}  // namespace earshot::binding
