#include "../networks/shared_network.h"

#include <cstring>

#include "handle.h"
#include "values.h"

namespace earshot::networks {

/** A thread's hold on a network. */
struct OpenNetwork {
  std::shared_ptr<const Network> network;
};

}  // namespace earshot::networks

namespace earshot {
using networks::OpenNetwork;
}

EARSHOT_HANDLE(OpenNetwork, 14)

namespace earshot::binding::shared_network {
namespace {

using networks::TensorView;

Napi::Array to_js(Napi::Env env, const std::vector<networks::Port>& ports) {
  Napi::Array all = Napi::Array::New(env, ports.size());
  for (size_t i = 0; i < ports.size(); i++) {
    const networks::Port& port = ports[i];
    Napi::Object one = Napi::Object::New(env);
    Napi::Array dims = Napi::Array::New(env, port.dims.size());
    for (size_t d = 0; d < port.dims.size(); d++) {
      if (port.dims[d] < 0)
        dims.Set(uint32_t(d), port.symbols[d]);
      else
        dims.Set(uint32_t(d), double(port.dims[d]));
    }
    one.Set("name", port.name);
    one.Set("type", double(port.type));
    one.Set("dims", dims);
    all.Set(uint32_t(i), one);
  }
  return all;
}

// open(key, path or bytes, keepsMemory) -> handle, or undefined without ONNX Runtime in this process
Napi::Value open(const Napi::CallbackInfo& info) {
  const void* const* table = networks::runtime_table();
  if (!table) return info.Env().Undefined();
  networks::Source source;
  if (info[1].IsTypedArray()) {
    void* data = nullptr;
    napi_typedarray_type type = napi_int8_array;
    if (napi_get_typedarray_info(info.Env(), info[1], &type, &source.length, &data, nullptr, nullptr) != napi_ok ||
        type != napi_uint8_array || source.length == 0)
      throw Napi::TypeError::New(info.Env(), "Expected bytes of a network but received another array");
    source.bytes = data;
  } else if (info[1].IsString()) {
    source.path = info[1].As<Napi::String>().Utf8Value();
  } else {
    throw Napi::TypeError::New(info.Env(), "Expected path or bytes of a network but received another value");
  }
  if (!info[0].IsString() || !info[2].IsBoolean())
    throw Napi::TypeError::New(info.Env(), "Expected key and keepsMemory but received other values");
  source.keeps_memory = info[2].As<Napi::Boolean>().Value();
  const std::string key = info[0].As<Napi::String>().Utf8Value();
  try {
    return make_handle<OpenNetwork>(info.Env(), OpenNetwork{networks::open_network(table, key, source)});
  } catch (const std::runtime_error& refused) {
    throw Napi::Error::New(info.Env(), refused.what());
  }
}

// found() -> is there an ONNX Runtime in this process?
Napi::Value found(const Napi::CallbackInfo& info) {
  return Napi::Boolean::New(info.Env(), networks::runtime_table() != nullptr);
}

const networks::Network& network_of(const Napi::CallbackInfo& info) {
  const OpenNetwork& open = from_handle<OpenNetwork>(info);
  if (!open.network) throw Napi::Error::New(info.Env(), "The network is closed");
  return *open.network;
}

Napi::Value inputs(const Napi::CallbackInfo& info) { return to_js(info.Env(), network_of(info).inputs()); }
Napi::Value outputs(const Napi::CallbackInfo& info) { return to_js(info.Env(), network_of(info).outputs()); }

Napi::Value close(const Napi::CallbackInfo& info) {
  from_handle<OpenNetwork>(info).network.reset();
  return info.Env().Undefined();
}

/** An argument's element: { name, type, dims, data }. */
struct Part {
  TensorView view;
  Napi::Value data;
};

std::vector<Part> parts(const Napi::CallbackInfo& info, size_t index) {
  if (!info[index].IsArray()) throw Napi::TypeError::New(info.Env(), "Expected an array of tensors");
  const Napi::Array all = info[index].As<Napi::Array>();
  std::vector<Part> found(all.Length());
  for (uint32_t i = 0; i < all.Length(); i++) {
    const Napi::Value value = all.Get(i);
    if (!value.IsObject()) throw Napi::TypeError::New(info.Env(), "Expected a tensor but received another value");
    const Napi::Object one = value.As<Napi::Object>();
    const Napi::Value name = one.Get("name"), type = one.Get("type"), dims = one.Get("dims");
    Part& part = found[i];
    part.data = one.Get("data");
    if (!name.IsString() || !type.IsNumber() || !dims.IsArray())
      throw Napi::TypeError::New(info.Env(), "Expected name, type and dims of a tensor");
    part.view.name = name.As<Napi::String>().Utf8Value();
    part.view.type = type.As<Napi::Number>().Int32Value();
    for (uint32_t d = 0; d < dims.As<Napi::Array>().Length(); d++) {
      const Napi::Value length = dims.As<Napi::Array>().Get(d);
      if (!length.IsNumber() || length.As<Napi::Number>().DoubleValue() < 0)
        throw Napi::TypeError::New(info.Env(), "Expected lengths of a tensor's dimensions");
      part.view.dims.push_back(length.As<Napi::Number>().Int64Value());
    }
  }
  return found;
}

/** Takes pointers: call it when no more JavaScript runs before they are used. */
void point(const Napi::CallbackInfo& info, Part& part) {
  napi_typedarray_type type = napi_int8_array;
  size_t length = 0;
  if (!part.data.IsTypedArray() ||
      napi_get_typedarray_info(info.Env(), part.data, &type, &length, &part.view.data, nullptr, nullptr) != napi_ok)
    throw Napi::TypeError::New(info.Env(), "Expected a typed array as data of " + part.view.name);
  const size_t wanted = networks::element_bytes(part.view.type);
  const size_t given = part.data.As<Napi::TypedArray>().ElementSize();
  if (wanted == 0 || wanted != given)
    throw Napi::TypeError::New(info.Env(), "Expected elements of the tensor's type in " + part.view.name);
  part.view.bytes = length * given;
  // ONNX Runtime takes no null pointer, which an empty array has.
  static uint64_t nothing = 0;
  if (!part.view.data) part.view.data = &nothing;
}

// run(handle, inputs, outputs) -> an output's { type, dims, bytes }, or null where it has its own data
Napi::Value run(const Napi::CallbackInfo& info) {
  const networks::Network& network = network_of(info);
  std::vector<Part> given = parts(info, 1), wanted = parts(info, 2);
  std::vector<TensorView> inputs, outputs;
  for (Part& part : given) {
    point(info, part);
    inputs.push_back(part.view);
  }
  for (Part& part : wanted) {
    if (!part.data.IsUndefined()) point(info, part);
    outputs.push_back(part.view);
  }
  const Napi::Env env = info.Env();
  Napi::Array all = Napi::Array::New(env, outputs.size());
  for (size_t i = 0; i < outputs.size(); i++) all.Set(uint32_t(i), env.Null());
  try {
    network.run(inputs, outputs, [&](size_t index, const networks::Computed& computed) {
      if (networks::element_bytes(computed.type) == 0) throw std::runtime_error("An output has an unknown type");
      Napi::ArrayBuffer copy = Napi::ArrayBuffer::New(env, computed.bytes);
      if (computed.bytes > 0) std::memcpy(copy.Data(), computed.data, computed.bytes);
      Napi::Array dims = Napi::Array::New(env, computed.dims.size());
      for (size_t d = 0; d < computed.dims.size(); d++) dims.Set(uint32_t(d), double(computed.dims[d]));
      Napi::Object one = Napi::Object::New(env);
      one.Set("type", double(computed.type));
      one.Set("dims", dims);
      one.Set("buffer", copy);
      all.Set(uint32_t(index), one);
    });
  } catch (const std::runtime_error& refused) {
    throw Napi::Error::New(env, refused.what());
  }
  return all;
}

}  // namespace

void add(Napi::Env env, Napi::Object exports) {
  exports.Set("networkRuntimeFound", Napi::Function::New(env, found));
  exports.Set("networkOpen", Napi::Function::New(env, open));
  exports.Set("networkInputs", Napi::Function::New(env, inputs));
  exports.Set("networkOutputs", Napi::Function::New(env, outputs));
  exports.Set("networkRun", Napi::Function::New(env, run));
  exports.Set("networkClose", Napi::Function::New(env, close));
}

}  // namespace earshot::binding::shared_network
