#include "../kernels/whisper/whisper_decoder.h"

#include "../kernels/whisper/cross_cache.h"

#include "weight_block_binding.h"

EARSHOT_HANDLE(WhisperDecoder, 13)

namespace earshot::binding::whisper_decoder {
namespace {

constexpr double kMostRows = 64;
constexpr double kMostPositions = 65536;

Napi::Value create(const Napi::CallbackInfo& info) {
  WhisperShape shape{};
  shape.layers = size_t(whole(info, 0, "layers", 1, 256));
  shape.heads = size_t(whole(info, 1, "heads", 1, 256));
  shape.head_width = size_t(whole(info, 2, "headWidth", 8, double(kMostWidth)));
  shape.feed_width = size_t(whole(info, 3, "feedWidth", 32, 65536));
  shape.vocabulary = size_t(whole(info, 4, "vocabulary", 1, 1048576));
  shape.most_tokens = size_t(whole(info, 5, "mostTokens", 1, 65536));
  if (shape.head_width % 8 != 0 || shape.width() % kQ8Block != 0 || shape.feed_width % kQ8Block != 0)
    throw Napi::TypeError::New(info.Env(), "Expected headWidth to be a multiple of 8 and widths multiples of 32");
  return make_handle<WhisperDecoder>(info.Env(), simd_of(info.Env()), shape);
}

Napi::Value sizes(const Napi::CallbackInfo& info) {
  const WhisperDecoder& kernel = from_handle<WhisperDecoder>(info);
  Napi::Object out = Napi::Object::New(info.Env());
  out.Set("weightBytes", double(kernel.weights().bytes()));
  out.Set("ownLength", double(kernel.own_length()));
  return out;
}

Napi::Value cross_length(const Napi::CallbackInfo& info) {
  const WhisperDecoder& kernel = from_handle<WhisperDecoder>(info);
  return Napi::Number::New(
      info.Env(), double(kernel.cross_bytes(size_t(whole(info, 1, "positions", 1, kMostPositions))) / sizeof(float)));
}

Napi::Value open(const Napi::CallbackInfo& info) {
  WhisperDecoder& kernel = from_handle<WhisperDecoder>(info);
  const size_t positions = size_t(whole(info, 3, "positions", 1, kMostPositions));
  const uint8_t* weights = weights_of(info, kernel);
  const Plane heard = at_least(info, 2, "heard", positions * kernel.shape().width());
  const Plane cross = at_least(info, 4, "cross", kernel.cross_bytes(positions) / sizeof(float));
  kernel.open(weights, heard.data, positions, reinterpret_cast<uint8_t*>(cross.data));
  return info.Env().Undefined();
}

std::vector<Napi::Value> items(const Napi::CallbackInfo& info, size_t index, const char* name, size_t count) {
  if (!info[index].IsArray() || info[index].As<Napi::Array>().Length() < count)
    throw Napi::TypeError::New(info.Env(), std::string("Expected array of an element per row for ") + name);
  std::vector<Napi::Value> found;
  for (size_t i = 0; i < count; i++) found.push_back(info[index].As<Napi::Array>().Get(uint32_t(i)));
  return found;
}

Plane row_plane(const Napi::Value& value, const char* name, size_t least) {
  const Plane p = plane(value, name);
  if (p.length < least)
    throw Napi::TypeError::New(value.Env(), std::string("Expected at least ") + std::to_string(least) +
                                                " elements in each of " + name + " but received " +
                                                std::to_string(p.length));
  return p;
}

// step(handle, weights, rows, count, past, tokens, positions, cross[], own[], aligned, logits, attention)
Napi::Value step(const Napi::CallbackInfo& info) {
  WhisperDecoder& kernel = from_handle<WhisperDecoder>(info);
  const WhisperShape& shape = kernel.shape();
  const size_t count = size_t(whole(info, 3, "count", 1, double(shape.most_tokens)));
  const size_t past = size_t(whole(info, 4, "past", 0, double(shape.most_tokens - count)));
  const size_t rows = size_t(whole(info, 2, "rows", 1, kMostRows));
  // Getting elements may run JavaScript: pointers are taken after that.
  const std::vector<Napi::Value> crosses = items(info, 7, "cross", rows), owns = items(info, 8, "own", rows);
  const uint8_t* weights = weights_of(info, kernel);
  const auto tokens = elements<int32_t>(info, 5, "tokens", napi_int32_array, rows * count);
  const auto positions = elements<int32_t>(info, 6, "positions", napi_int32_array, rows);
  const auto heads = elements<int32_t>(info, 9, "aligned", napi_int32_array, 0);
  const Plane logits = at_least(info, 10, "logits", rows * shape.vocabulary);
  const Plane attention = plane(info[11], "attention");
  for (size_t i = 0; i < rows * count; i++) {
    if (tokens.data[i] < 0 || size_t(tokens.data[i]) >= shape.vocabulary)
      throw Napi::TypeError::New(info.Env(), "Expected tokens of the vocabulary");
  }
  std::vector<WhisperDecoder::Head> aligned;
  for (size_t i = 0; i + 1 < heads.length; i += 2) {
    if (heads.data[i] < 0 || size_t(heads.data[i]) >= shape.layers || heads.data[i + 1] < 0 ||
        size_t(heads.data[i + 1]) >= shape.heads)
      throw Napi::TypeError::New(info.Env(), "Expected heads of the network in aligned");
    aligned.push_back({size_t(heads.data[i]), size_t(heads.data[i + 1])});
  }
  std::vector<WhisperDecoder::Row> given;
  size_t looked_at = 0;
  for (size_t row = 0; row < rows; row++) {
    if (positions.data[row] < 1 || double(positions.data[row]) > kMostPositions)
      throw Napi::TypeError::New(info.Env(), "Expected positive positions");
    const size_t here = size_t(positions.data[row]);
    const Plane cross = row_plane(crosses[row], "cross", kernel.cross_bytes(here) / sizeof(float));
    const Plane own = row_plane(owns[row], "own", kernel.own_length());
    given.push_back({reinterpret_cast<const uint8_t*>(cross.data), here, own.data, logits.data + row * shape.vocabulary,
                     attention.data + looked_at});
    looked_at += aligned.size() * here;
  }
  if (attention.length < looked_at) throw Napi::TypeError::New(info.Env(), "Expected more elements in attention");
  kernel.step(weights, given, tokens.data, count, past, aligned);
  return info.Env().Undefined();
}

}  // namespace

void add(Napi::Env env, Napi::Object exports) {
  exports.Set("whisperDecoderCreate", Napi::Function::New(env, create));
  exports.Set("whisperDecoderSizes", Napi::Function::New(env, sizes));
  exports.Set("whisperDecoderSetMatrix", Napi::Function::New(env, set_matrix<WhisperDecoder>));
  exports.Set("whisperDecoderSetVector", Napi::Function::New(env, set_vector<WhisperDecoder>));
  exports.Set("whisperDecoderCrossLength", Napi::Function::New(env, cross_length));
  exports.Set("whisperDecoderOpen", Napi::Function::New(env, open));
  exports.Set("whisperDecoderStep", Napi::Function::New(env, step));
}

}  // namespace earshot::binding::whisper_decoder
