#include "../kernels/whisper/whisper_encoder.h"

#include "weight_block_binding.h"

EARSHOT_HANDLE(WhisperEncoder, 16)

namespace earshot::binding::whisper_encoder {
namespace {

Napi::Value create(const Napi::CallbackInfo& info) {
  EncoderShape shape{};
  shape.bands = size_t(whole(info, 0, "bands", 1, 1024));
  shape.frames = size_t(whole(info, 1, "frames", 2, 65536));
  shape.layers = size_t(whole(info, 2, "layers", 1, 256));
  shape.heads = size_t(whole(info, 3, "heads", 1, 256));
  shape.head_width = size_t(whole(info, 4, "headWidth", 16, 1024));
  shape.feed_width = size_t(whole(info, 5, "feedWidth", 32, 65536));
  if (shape.head_width % 16 != 0 || shape.width() % kQ8Block != 0 || shape.feed_width % kQ8Block != 0)
    throw Napi::TypeError::New(info.Env(), "Expected headWidth to be a multiple of 16 and widths multiples of 32");
  if (shape.frames % 2 != 0) throw Napi::TypeError::New(info.Env(), "Expected frames to be even");
  return make_handle<WhisperEncoder>(info.Env(), simd_of(info.Env()), shape);
}

Napi::Value weight_bytes(const Napi::CallbackInfo& info) {
  return Napi::Number::New(info.Env(), double(from_handle<WhisperEncoder>(info).weights().bytes()));
}

Napi::Value set_convolution(const Napi::CallbackInfo& info) {
  const WhisperEncoder& kernel = from_handle<WhisperEncoder>(info);
  const size_t index = size_t(whole(info, 2, "index", 0, 1));
  uint8_t* weights = weights_of(info, kernel);
  kernel.set_convolution(weights, index, at_least(info, 3, "values", kernel.convolution_length(index)).data);
  return info.Env().Undefined();
}

Napi::Value encode(const Napi::CallbackInfo& info) {
  const WhisperEncoder& kernel = from_handle<WhisperEncoder>(info);
  const EncoderShape& shape = kernel.shape();
  const uint8_t* weights = weights_of(info, kernel);
  const size_t frames = size_t(whole(info, 3, "frames", 2, double(shape.frames)));
  if (frames % 2 != 0) throw Napi::TypeError::New(info.Env(), "Expected frames to be even");
  const Plane spectrum = at_least(info, 2, "spectrum", shape.bands * frames);
  const Plane out = at_least(info, 4, "out", frames / 2 * shape.width());
  kernel.encode(weights, spectrum.data, frames, out.data);
  return info.Env().Undefined();
}

}  // namespace

void add(Napi::Env env, Napi::Object exports) {
  exports.Set("whisperEncoderCreate", Napi::Function::New(env, create));
  exports.Set("whisperEncoderWeightBytes", Napi::Function::New(env, weight_bytes));
  exports.Set("whisperEncoderSetMatrix", Napi::Function::New(env, set_matrix<WhisperEncoder>));
  exports.Set("whisperEncoderSetVector", Napi::Function::New(env, set_vector<WhisperEncoder>));
  exports.Set("whisperEncoderSetConvolution", Napi::Function::New(env, set_convolution));
  exports.Set("whisperEncoderEncode", Napi::Function::New(env, encode));
}

}  // namespace earshot::binding::whisper_encoder
