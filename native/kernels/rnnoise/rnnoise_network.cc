#include "rnnoise_network.h"

#include <algorithm>
#include <utility>

#include "rnnoise_sums.h"

namespace earshot {
namespace {

// A quotient of polynomials, as in RNNoise: within 6e-5 of the tangent.
template <class V> EARSHOT_INLINE V tanh_like(V x) {
  const V y = x * x;
  const V above = (y * 0.60863042f + 96.39235687f) * y + 952.52801514f;
  const V below = (y * 11.88600922f + 413.36801147f) * y + 952.72399902f;
  return vmax(splat<V>(-1.0f), vmin(splat<V>(1.0f), above * x / below));
}

template <class V> EARSHOT_INLINE V sigmoid_like(V x) { return tanh_like<V>(x * 0.5f) * 0.5f + 0.5f; }

template <class V> EARSHOT_INLINE void tanh_all(float* x, size_t n) {
  for (size_t i = 0; i < n; i += lanes_of<V>) store<V>(x + i, tanh_like<V>(load<V>(x + i)));
}
template <class V> EARSHOT_INLINE void sigmoid_all(float* x, size_t n) {
  for (size_t i = 0; i < n; i += lanes_of<V>) store<V>(x + i, sigmoid_like<V>(load<V>(x + i)));
}

/** outputs: a multiple of 32. */
template <class V> EARSHOT_INLINE void multiply_floats(const RnnoiseLayer& layer, const float* x, float* out) {
  constexpr size_t W = lanes_of<V>, kAtOnce = 32 / W;
  for (size_t row = 0; row < layer.outputs; row += 32) {
    V sums[kAtOnce] = {};
    const float* weights = layer.floats.data() + row;
    for (size_t i = 0; i < layer.inputs; i++, weights += layer.outputs) {
      const V by = splat<V>(x[i]);
      for (size_t k = 0; k < kAtOnce; k++) sums[k] += by * load<V>(weights + k * W);
    }
    for (size_t k = 0; k < kAtOnce; k++)
      store<V>(out + row + k * W, sums[k] + load<V>(layer.bias.data() + row + k * W));
  }
}

// Inputs of -1 to 1 as whole numbers of -127 to 127, rounded up from half on. Others, which no layer gives, are cut
// off.
template <class V> EARSHOT_INLINE void quantise(const float* x, size_t n, int16_t* out) {
  using I = typename IntOf<V>::type;
  int32_t whole[RnnoiseNetwork::kWidth];
  for (size_t i = 0; i < n; i += lanes_of<V>) {
    const V scaled = vmax(splat<V>(-127), vmin(load<V>(x + i) * 127 + 0.5f, splat<V>(127)));
    const I cut = __builtin_convertvector(scaled, I);
    const I floor = cut + (I)(__builtin_convertvector(cut, V) > scaled);
    std::memcpy(whole + i, &floor, sizeof floor);
  }
  for (size_t i = 0; i < n; i++) out[i] = int16_t(whole[i]);
}

template <class V> EARSHOT_INLINE void multiply_bytes(const RnnoiseLayer& layer, const float* x, float* out) {
  constexpr size_t W = lanes_of<V>;
  int16_t whole[RnnoiseNetwork::kWidth];
  quantise<V>(x, layer.inputs, whole);
  rnnoise_sums(lanes_of<V> == lanes_of<f32x8>, layer, whole, out);
  for (size_t i = 0; i < layer.outputs; i += W)
    store<V>(out + i, load<V>(out + i) * load<V>(layer.scale.data() + i) + load<V>(layer.bias.data() + i));
  if (layer.diagonal.empty()) return;
  for (size_t gate = 0; gate < 3; gate++) {
    const float* diagonal = layer.diagonal.data() + gate * layer.inputs;
    float* to = out + gate * layer.inputs;
    for (size_t i = 0; i < layer.inputs; i += W)
      store<V>(to + i, load<V>(to + i) + load<V>(diagonal + i) * load<V>(x + i));
  }
}

/** A gated recurrent unit: outputs are the update's, the reset's and the new state's. */
template <class V>
EARSHOT_INLINE void recur(const RnnoiseLayer& from_input, const RnnoiseLayer& from_state, const float* x,
                          float* state) {
  constexpr size_t n = RnnoiseNetwork::kWidth, W = lanes_of<V>;
  float gates[3 * n], own[3 * n];
  multiply_bytes<V>(from_input, x, gates);
  multiply_bytes<V>(from_state, state, own);
  for (size_t i = 0; i < n; i += W) {
    const V update = sigmoid_like<V>(load<V>(gates + i) + load<V>(own + i));
    const V reset = sigmoid_like<V>(load<V>(gates + n + i) + load<V>(own + n + i));
    const V fresh = tanh_like<V>(load<V>(gates + 2 * n + i) + load<V>(own + 2 * n + i) * reset);
    store<V>(state + i, update * load<V>(state + i) + (1.0f - update) * fresh);
  }
}

/** The last two frames move down, and the new one is put behind them. */
template <size_t N> EARSHOT_INLINE void remember(std::array<float, N>& frames, const float* next) {
  constexpr size_t one = N / 3;
  std::copy(frames.begin() + one, frames.end(), frames.begin());
  std::copy(next, next + one, frames.begin() + 2 * one);
}

bool blocks_fit(const RnnoiseLayer& layer) {
  size_t at = 0, count = 0;
  for (size_t row = 0; row < layer.outputs; row += kRnnoiseRows) {
    if (at >= layer.blocks.size() || layer.blocks[at] < 0) return false;
    const size_t of_row = size_t(layer.blocks[at++]);
    if (of_row > layer.blocks.size() - at) return false;
    for (size_t k = 0; k < of_row; k++, at++)
      if (layer.blocks[at] < 0 || size_t(layer.blocks[at]) + kRnnoiseColumns > layer.inputs) return false;
    count += of_row;
  }
  return at == layer.blocks.size() && layer.bytes.size() == count * kRnnoiseBlock;
}

}  // namespace

bool RnnoiseNetwork::set(size_t at, RnnoiseLayer layer) {
  const Shape& shape = kShapes[at];
  if (layer.inputs != shape.inputs || layer.outputs != shape.outputs || layer.bias.size() != shape.outputs)
    return false;
  if (!shape.in_bytes && layer.floats.size() != shape.inputs * shape.outputs) return false;
  if (shape.in_bytes && (layer.scale.size() != shape.outputs || !blocks_fit(layer))) return false;
  if (!layer.diagonal.empty() && (shape.outputs != 3 * kWidth || layer.diagonal.size() != 3 * kWidth)) return false;
  layer.offsets = rnnoise_offsets(layer);
  layers_[at] = std::move(layer);
  return true;
}

bool RnnoiseNetwork::complete() const {
  return std::all_of(layers_.begin(), layers_.end(), [](const RnnoiseLayer& layer) { return layer.outputs > 0; });
}

template <class V> EARSHOT_INLINE float RnnoiseNetwork::frame(State& state, const float* features, float* gains) const {
  float first[kFirst], second[kWidth];
  remember(state.features, features);
  multiply_floats<V>(layers_[0], state.features.data(), first);
  tanh_all<V>(first, kFirst);
  remember(state.first, first);
  multiply_bytes<V>(layers_[1], state.first.data(), second);
  tanh_all<V>(second, kWidth);
  const float* input = second;
  for (size_t i = 0; i < kRecurrent; i++) {
    float* own = state.recurrent[i].data();
    recur<V>(layers_[2 + 2 * i], layers_[3 + 2 * i], input, own);
    input = own;
  }
  multiply_floats<V>(layers_[8], input, gains);
  sigmoid_all<V>(gains, kBands);
  float voice = layers_[9].bias[0];
  for (size_t i = 0; i < kWidth; i++) voice += layers_[9].floats[i] * input[i];
  float lanes[lanes_of<V>] = {voice};
  sigmoid_all<V>(lanes, lanes_of<V>);
  return lanes[0];
}

EARSHOT_AVX2 float RnnoiseNetwork::frame_avx2(State& s, const float* f, float* g) const {
  return frame<f32x8>(s, f, g);
}
float RnnoiseNetwork::frame_baseline(State& s, const float* f, float* g) const { return frame<f32x4>(s, f, g); }

float RnnoiseNetwork::next(State& state, const float* features, float* gains) const {
  return simd_ == Simd::avx2 ? frame_avx2(state, features, gains) : frame_baseline(state, features, gains);
}

}  // namespace earshot
