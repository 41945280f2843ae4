#include "values.h"

#include <cmath>
#include <cstdio>
#include <cstring>
#include <utility>

namespace earshot::binding {
namespace {

std::string shown(const Napi::Value& value) {
  if (value.IsNumber()) return value.ToString().Utf8Value();
  if (value.IsUndefined()) return "undefined";
  if (value.IsNull()) return "null";
  if (value.IsString()) return "a string";
  if (value.IsTypedArray()) return "another kind of typed array";
  if (value.IsArray()) return "an array";
  return "a value of another type";
}

std::string shown(double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%.10g", number);
  return text;
}

template <class Array, class T> Napi::Value copy_of(Napi::Env env, const std::vector<T>& values) {
  Array array = Array::New(env, values.size());
  if (!values.empty()) std::memcpy(array.Data(), values.data(), values.size() * sizeof(T));
  return array;
}

std::string element_name(const char* name, size_t c) { return std::string(name) + "[" + std::to_string(c) + "]"; }

/** The handles live in the call's own scope: they keep an element that only its accessor made from being collected. */
std::vector<Napi::Value> elements_of(const Napi::CallbackInfo& info, const PlanesArgument& argument, size_t channels) {
  const Napi::Env env = info.Env();
  const Napi::Value value = info[argument.index];
  if (!value.IsArray())
    throw Napi::TypeError::New(
        env, std::string("Expected array of Float32Array for ") + argument.name + " but received " + shown(value));
  const Napi::Array array = value.As<Napi::Array>();
  const size_t count = array.Length();
  if (count < 1 || count > kMostChannels || (channels && count != channels)) {
    throw Napi::TypeError::New(
        env, "Expected " + (channels ? std::to_string(channels) : "1 to " + std::to_string(kMostChannels)) +
                 " planes for " + argument.name + " but received " + std::to_string(count));
  }
  std::vector<Napi::Value> elements;
  for (size_t c = 0; c < count; c++) elements.push_back(array.Get(uint32_t(c)));
  return elements;
}

Planes pointers_of(const Napi::CallbackInfo& info, const char* name, const std::vector<Napi::Value>& elements,
                   size_t frames_index) {
  Planes result;
  std::vector<size_t> lengths;
  for (const Napi::Value& element : elements) {
    const Plane p = plane(element, element_name(name, lengths.size()));
    result.data.push_back(p.data);
    lengths.push_back(p.length);
  }
  result.frames =
      info[frames_index].IsUndefined() ? lengths[0] : size_t(whole(info, frames_index, "frames", 0, 4294967295.0));
  for (size_t c = 0; c < lengths.size(); c++) {
    if (lengths[c] < result.frames) {
      throw Napi::TypeError::New(info.Env(), "Expected at least " + std::to_string(result.frames) + " frames in " +
                                                 element_name(name, c) + " but received " + std::to_string(lengths[c]));
    }
  }
  return result;
}

}  // namespace

double number(const Napi::CallbackInfo& info, size_t index, const char* name, double least, double most) {
  const Napi::Value value = info[index];
  const double x = value.IsNumber() ? value.As<Napi::Number>().DoubleValue() : NAN;
  if (!(x >= least && x <= most)) {
    throw Napi::TypeError::New(info.Env(), std::string("Expected number between ") + shown(least) + " and " +
                                               shown(most) + " for " + name + " but received " + shown(value));
  }
  return x;
}

uint64_t whole(const Napi::CallbackInfo& info, size_t index, const char* name, double least, double most) {
  const double x = number(info, index, name, least, most);
  if (x != std::floor(x)) {
    throw Napi::TypeError::New(
        info.Env(), std::string("Expected whole number for ") + name + " but received " + shown(info[index]));
  }
  return uint64_t(x);
}

uint32_t sample_rate(const Napi::CallbackInfo& info, size_t index) {
  return uint32_t(whole(info, index, "sampleRate", 1, kMostSampleRate));
}

size_t channel_count(const Napi::CallbackInfo& info, size_t index) {
  return size_t(whole(info, index, "channels", 1, kMostChannels));
}

Plane plane(const Napi::Value& value, const std::string& name) {
  const Napi::Env env = value.Env();
  napi_typedarray_type type = napi_int8_array;
  size_t length = 0;
  void* data = nullptr;
  // The plain C call: it answers for arrays on shared memory too.
  if (!value.IsTypedArray() ||
      napi_get_typedarray_info(env, value, &type, &length, &data, nullptr, nullptr) != napi_ok ||
      type != napi_float32_array) {
    throw Napi::TypeError::New(env, "Expected Float32Array for " + name + " but received " + shown(value));
  }
  return {static_cast<float*>(data), data ? length : 0};
}

Plane at_least(const Napi::CallbackInfo& info, size_t index, const char* name, size_t length) {
  const Plane p = plane(info[index], name);
  if (p.length < length) {
    throw Napi::TypeError::New(info.Env(), "Expected at least " + std::to_string(length) + " elements in " + name +
                                               " but received " + std::to_string(p.length));
  }
  return p;
}

Planes planes(const Napi::CallbackInfo& info, size_t index, const char* name, size_t channels, size_t frames_index) {
  return std::move(all_planes(info, channels, {{index, name}}, frames_index).front());
}

std::vector<Planes> all_planes(const Napi::CallbackInfo& info, size_t channels,
                               std::initializer_list<PlanesArgument> arguments, size_t frames_index) {
  std::vector<std::vector<Napi::Value>> elements;
  for (const PlanesArgument& argument : arguments) {
    elements.push_back(elements_of(info, argument, channels));
    channels = elements.front().size();
  }
  // From here on no JavaScript runs: pointers stay good.
  std::vector<Planes> result;
  for (const PlanesArgument& argument : arguments)
    result.push_back(pointers_of(info, argument.name, elements[result.size()], frames_index));
  return result;
}

Napi::Value to_js(Napi::Env env, const std::vector<float>& values) { return copy_of<Napi::Float32Array>(env, values); }
Napi::Value to_js(Napi::Env env, const std::vector<double>& values) { return copy_of<Napi::Float64Array>(env, values); }
Napi::Value to_js(Napi::Env env, const std::vector<int8_t>& values) { return copy_of<Napi::Int8Array>(env, values); }

}  // namespace earshot::binding
