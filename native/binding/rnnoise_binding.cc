#include "../kernels/rnnoise/rnnoise.h"

#include "handle.h"
#include "values.h"

namespace earshot::binding::rnnoise {
/** External data: all recordings of a thread have the same network. */
using SharedNetwork = std::shared_ptr<RnnoiseNetwork>;
}  // namespace earshot::binding::rnnoise

template <> struct earshot::binding::TagOf<earshot::binding::rnnoise::SharedNetwork> {
  static constexpr napi_type_tag value = {0x8f1d3c5ea70b42e6ULL, 0x9b60d8f2417ac300ULL + 17};
};
EARSHOT_HANDLE(Rnnoise, 18)

namespace earshot::binding::rnnoise {
namespace {

constexpr double kMostFrames = 1048576;

Napi::Value create_network(const Napi::CallbackInfo& info) {
  return make_handle<SharedNetwork>(info.Env(), std::make_shared<RnnoiseNetwork>(simd_of(info.Env())));
}

/** The elements of an argument that is such a typed array. */
template <class T>
std::vector<T> elements(const Napi::CallbackInfo& info, size_t index, const char* name, napi_typedarray_type type) {
  if (!info[index].IsTypedArray() || info[index].As<Napi::TypedArray>().TypedArrayType() != type)
    throw Napi::TypeError::New(info.Env(), std::string("Expected a typed array of the right type for ") + name);
  const auto array = info[index].As<Napi::TypedArrayOf<T>>();
  return std::vector<T>(array.Data(), array.Data() + array.ElementLength());
}

Napi::Value set_layer(const Napi::CallbackInfo& info) {
  RnnoiseNetwork& network = *from_handle<SharedNetwork>(info);
  const size_t at = size_t(whole(info, 1, "layer", 0, RnnoiseNetwork::kLayers - 1));
  const auto floats = [&](size_t index, const char* name) {
    return elements<float>(info, index, name, napi_float32_array);
  };
  RnnoiseLayer layer;
  layer.inputs = RnnoiseNetwork::kShapes[at].inputs;
  layer.outputs = RnnoiseNetwork::kShapes[at].outputs;
  layer.bias = floats(2, "bias");
  if (!RnnoiseNetwork::kShapes[at].in_bytes) {
    layer.floats = floats(3, "weights");
  } else {
    layer.bytes = elements<int8_t>(info, 3, "weights", napi_int8_array);
    layer.blocks = elements<int32_t>(info, 4, "blocks", napi_int32_array);
    layer.scale = floats(5, "scale");
    layer.diagonal = floats(6, "diagonal");
  }
  if (!network.set(at, std::move(layer)))
    throw Napi::TypeError::New(info.Env(), "Expected layer " + std::to_string(at) + " of RNNoise's network, of " +
                                               std::to_string(RnnoiseNetwork::kShapes[at].inputs) + " inputs and " +
                                               std::to_string(RnnoiseNetwork::kShapes[at].outputs) +
                                               " outputs, but received arrays of other sizes");
  return info.Env().Undefined();
}

Napi::Value create(const Napi::CallbackInfo& info) {
  const SharedNetwork& network = from_handle<SharedNetwork>(info);
  if (!network->complete()) throw Napi::TypeError::New(info.Env(), "Expected a network with all of its layers");
  return make_handle<Rnnoise>(info.Env(), simd_of(info.Env()), network);
}

Napi::Value process(const Napi::CallbackInfo& info) {
  Rnnoise& kernel = from_handle<Rnnoise>(info);
  const size_t count = size_t(whole(info, 2, "count", 0, kMostFrames));
  const Plane samples = at_least(info, 1, "samples", count * Rnnoise::kFrame);
  const Plane out = at_least(info, 3, "out", count * Rnnoise::kFrame), voice = at_least(info, 4, "voice", count);
  kernel.process(samples.data, count, out.data, voice.data);
  return info.Env().Undefined();
}

}  // namespace

void add(Napi::Env env, Napi::Object exports) {
  exports.Set("rnnoiseNetworkCreate", Napi::Function::New(env, create_network));
  exports.Set("rnnoiseNetworkSetLayer", Napi::Function::New(env, set_layer));
  exports.Set("rnnoiseCreate", Napi::Function::New(env, create));
  exports.Set("rnnoiseProcess", Napi::Function::New(env, process));
}

}  // namespace earshot::binding::rnnoise
