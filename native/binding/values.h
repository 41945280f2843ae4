// Between JavaScript values and plain C++ values. Everything is checked here, so that kernels never see a bad length;
// a bad argument throws a JavaScript TypeError.
#pragma once

#include <napi.h>

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "../kernels/base/simd.h"

namespace earshot::binding {

constexpr size_t kMostChannels = 64;
constexpr uint32_t kMostSampleRate = 768000;

/** A finite number within [least, most]. */
double number(const Napi::CallbackInfo& info, size_t index, const char* name, double least, double most);
/** A whole number within [least, most]. */
uint64_t whole(const Napi::CallbackInfo& info, size_t index, const char* name, double least, double most);
uint32_t sample_rate(const Napi::CallbackInfo& info, size_t index);
size_t channel_count(const Napi::CallbackInfo& info, size_t index);

/** A Float32Array's elements: good until JavaScript runs again. */
struct Plane {
  float* data;
  size_t length;
};
Plane plane(const Napi::Value& value, const std::string& name);
/** An argument that is a Float32Array of at least `length` elements. */
Plane at_least(const Napi::CallbackInfo& info, size_t index, const char* name, size_t length);

/** Planes of a call and the frames it is about. */
struct Planes {
  std::vector<float*> data;
  size_t frames = 0;
  const float* const* read() const { return data.data(); }
  float* const* write() const { return data.data(); }
};
/** An argument that is an array of Float32Arrays. */
struct PlanesArgument {
  size_t index;
  const char* name;
};
/**
 * Every array of planes that a call takes, `channels` planes in each (0: one or more, as many as in the first).
 * Argument `frames_index`: how many frames, or undefined for the length of each one's first plane. Every plane must be
 * at least that long.
 *
 * Getting an element may run JavaScript (an accessor), which may detach, shrink or free the memory of any other one. So
 * all elements of all arrays are got and held first, and pointers are taken only after that. Hence one call for all
 * arrays of a binding, before it takes any other pointer.
 */
std::vector<Planes> all_planes(const Napi::CallbackInfo& info, size_t channels,
                               std::initializer_list<PlanesArgument> arguments, size_t frames_index);
/** The same for a call that takes one array. */
Planes planes(const Napi::CallbackInfo& info, size_t index, const char* name, size_t channels, size_t frames_index);

/** A copy of the elements as a typed array that JavaScript owns. */
Napi::Value to_js(Napi::Env env, const std::vector<float>& values);
Napi::Value to_js(Napi::Env env, const std::vector<double>& values);
Napi::Value to_js(Napi::Env env, const std::vector<int8_t>& values);

/** The instruction set that was chosen when the addon was loaded into this environment. */
Simd simd_of(Napi::Env env);

}  // namespace earshot::binding
