// RNNoise's network (2024): two convolutions over three frames each, three gated recurrent layers, and two layers that
// answer with a gain for each band and with the probability of a voice. Most weights have 8 bits, and of the recurrent
// layers two thirds are left out in blocks.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "../base/simd.h"

namespace earshot {

struct RnnoiseLayer {
  size_t inputs = 0, outputs = 0;
  std::vector<float> bias;
  /** [input][output] where weights are floats; else empty. */
  std::vector<float> floats;
  /**
   * Else blocks of eight outputs by four inputs. For each eight outputs `blocks` holds how many blocks there are, and
   * the first input of each.
   */
  std::vector<int8_t> bytes;
  std::vector<int32_t> blocks;
  std::vector<float> scale;
  /** 128 times the sum of each output's weights; made by the network. */
  std::vector<int32_t> offsets;
  /** Of a recurrent layer: what each output takes from its own input besides, [3][inputs]; else empty. */
  std::vector<float> diagonal;
};

class RnnoiseNetwork {
 public:
  static constexpr size_t kFeatures = 65, kBands = 32, kWidth = 384, kFirst = 128, kRecurrent = 3;
  static constexpr size_t kLayers = 10;
  struct Shape {
    size_t inputs, outputs;
    bool in_bytes;
  };
  static constexpr Shape kShapes[kLayers] = {
      {3 * kFeatures, kFirst, false},  //
      {3 * kFirst, kWidth, true},      //
      {kWidth, 3 * kWidth, true},     {kWidth, 3 * kWidth, true},
      {kWidth, 3 * kWidth, true},     {kWidth, 3 * kWidth, true},  //
      {kWidth, 3 * kWidth, true},     {kWidth, 3 * kWidth, true},  //
      {kWidth, kBands, false},        {kWidth, 1, false},
  };

  /** What it remembers of a recording. */
  struct State {
    std::array<float, 3 * kFeatures> features{};
    std::array<float, 3 * kFirst> first{};
    std::array<std::array<float, kWidth>, kRecurrent> recurrent{};
  };

  explicit RnnoiseNetwork(Simd simd) : simd_(simd) {}

  /** @returns false: its sizes are not those of the shape, or a block begins beyond the inputs. */
  bool set(size_t at, RnnoiseLayer layer);
  bool complete() const;

  /** One frame. gains: [kBands], 0 to 1. @returns the probability of a voice, 0 to 1 */
  float next(State& state, const float* features, float* gains) const;

 private:
  template <class V> float frame(State& state, const float* features, float* gains) const;
  float frame_avx2(State& state, const float* features, float* gains) const;
  float frame_baseline(State& state, const float* features, float* gains) const;

  Simd simd_;
  std::array<RnnoiseLayer, kLayers> layers_;
};

}  // namespace earshot
