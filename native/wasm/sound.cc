// What changes sound.
#include <algorithm>
#include <memory>

#include "../kernels/rnnoise/rnnoise.h"
#include "../kernels/sound/declip.h"
#include "../kernels/sound/fir.h"
#include "../kernels/sound/ops.h"
#include "../kernels/sound/pcm16.h"
#include "../kernels/sound/rate_converter.h"
#include "../kernels/sound/resample.h"
#include "../kernels/sound/stft.h"
#include "api.h"

namespace earshot::wasm {

EXPORT(firCreate) Fir* fir_create(size_t channels, const float* taps, size_t count) {
  return new Fir(kSimd, channels, taken(taps, count));
}
EXPORT(firFree) void fir_free(Fir* fir) { delete fir; }
EXPORT(firLatency) size_t fir_latency(Fir* fir) { return fir->latency_frames(); }
EXPORT(firProcess) void fir_process(Fir* fir, In in, Out out, size_t frames) { fir->process(in, out, frames); }

EXPORT(declipFits) int32_t declip_fits(size_t frame) { return Declip::fits(frame); }
EXPORT(declipCreate) Declip* declip_create(size_t frame) { return new Declip(kSimd, frame); }
EXPORT(declipFree) void declip_free(Declip* declip) { delete declip; }
EXPORT(declipRestore)
double declip_restore(Declip* declip, const float* samples, size_t count, float lowest, float highest, size_t rounds,
                      float* out) {
  return double(declip->restore(samples, count, lowest, highest, rounds, out));
}

EXPORT(stftFits) int32_t stft_fits(size_t frame) { return Stft::fits(frame); }
EXPORT(stftCreate) Stft* stft_create(const float* window, size_t length, size_t hop) {
  return new Stft(kSimd, taken(window, length), hop);
}
EXPORT(stftFree) void stft_free(Stft* stft) { delete stft; }
EXPORT(stftForward)
void stft_forward(Stft* stft, const float* samples, size_t count, float scale, float* re, float* im) {
  stft->forward(samples, count, scale, re, im);
}
EXPORT(stftInverse)
void stft_inverse(Stft* stft, const float* re, const float* im, size_t count, float scale, float* out) {
  stft->inverse(re, im, count, scale, out);
}

EXPORT(resample) void resample_at(const float* samples, double start, double step, float* out, size_t count) {
  resample(kSimd, samples, start, step, out, count);
}

EXPORT(rateConverterCreate) RateConverter* rate_converter_create(uint32_t from, uint32_t to, size_t channels) {
  return new RateConverter(kSimd, channels, from, to);
}
EXPORT(rateConverterFree) void rate_converter_free(RateConverter* converter) { delete converter; }
EXPORT(rateConverterReady) size_t rate_converter_ready(RateConverter* converter, size_t frames) {
  return converter->ready(frames);
}
EXPORT(rateConverterRest) size_t rate_converter_rest(RateConverter* converter) { return converter->rest(); }
EXPORT(rateConverterProcess) void rate_converter_process(RateConverter* converter, In in, Out out, size_t frames) {
  converter->process(in, out, frames);
}
EXPORT(rateConverterClose) void rate_converter_close(RateConverter* converter) { converter->close(); }
EXPORT(rateConverterFlush) void rate_converter_flush(RateConverter* converter, Out out) { converter->flush(out); }

using SharedNetwork = std::shared_ptr<RnnoiseNetwork>;
EXPORT(rnnoiseNetworkCreate) SharedNetwork* rnnoise_network_create() {
  return new SharedNetwork(std::make_shared<RnnoiseNetwork>(kSimd));
}
EXPORT(rnnoiseNetworkFree) void rnnoise_network_free(SharedNetwork* network) { delete network; }
EXPORT(rnnoiseLayerInputs) size_t rnnoise_layer_inputs(size_t layer) { return RnnoiseNetwork::kShapes[layer].inputs; }
EXPORT(rnnoiseLayerOutputs) size_t rnnoise_layer_outputs(size_t layer) {
  return RnnoiseNetwork::kShapes[layer].outputs;
}
EXPORT(rnnoiseLayerInBytes) int32_t rnnoise_layer_in_bytes(size_t layer) {
  return RnnoiseNetwork::kShapes[layer].in_bytes;
}
/** 0: arrays of other sizes. */
EXPORT(rnnoiseNetworkSetLayer)
int32_t rnnoise_network_set_layer(SharedNetwork* network, size_t at, const float* bias, size_t biases,
                                  const void* weights, size_t count, const int32_t* blocks, size_t block_count,
                                  const float* scale, size_t scales, const float* diagonal, size_t diagonals) {
  RnnoiseLayer layer;
  layer.inputs = RnnoiseNetwork::kShapes[at].inputs;
  layer.outputs = RnnoiseNetwork::kShapes[at].outputs;
  layer.bias = taken(bias, biases);
  if (!RnnoiseNetwork::kShapes[at].in_bytes) {
    layer.floats = taken(static_cast<const float*>(weights), count);
  } else {
    layer.bytes = taken(static_cast<const int8_t*>(weights), count);
    layer.blocks = taken(blocks, block_count);
    layer.scale = taken(scale, scales);
    layer.diagonal = taken(diagonal, diagonals);
  }
  return (*network)->set(at, std::move(layer));
}
/** null: a network without all of its layers. */
EXPORT(rnnoiseCreate) Rnnoise* rnnoise_create(SharedNetwork* network) {
  return (*network)->complete() ? new Rnnoise(kSimd, *network) : nullptr;
}
EXPORT(rnnoiseFree) void rnnoise_free(Rnnoise* rnnoise) { delete rnnoise; }
EXPORT(rnnoiseProcess)
void rnnoise_process(Rnnoise* rnnoise, const float* samples, size_t count, float* out, float* voice) {
  rnnoise->process(samples, count, out, voice);
}

EXPORT(applyGain) void apply_gain_to(Out planes, size_t channels, size_t frames, float gain) {
  for (size_t c = 0; c < channels; c++) apply_gain(kSimd, planes[c], frames, gain);
}
EXPORT(mixInto) void mix_into_each(Out target, In source, size_t channels, size_t frames, float gain) {
  for (size_t c = 0; c < channels; c++) mix_into(kSimd, target[c], source[c], frames, gain);
}
EXPORT(crossfade)
void crossfade(In outgoing, In incoming, Out out, size_t channels, int32_t equal_power, double position, double total,
               size_t frames) {
  float falling[kFadeTile], rising[kFadeTile];
  for (size_t at = 0; at < frames; at += kFadeTile) {
    const size_t n = std::min(kFadeTile, frames - at);
    fade_gains(kSimd, equal_power ? FadeShape::equal_power : FadeShape::linear, uint64_t(position) + at,
               uint64_t(total), n, falling, rising);
    for (size_t c = 0; c < channels; c++)
      mix_two(kSimd, outgoing[c] + at, falling, incoming[c] + at, rising, out[c] + at, n);
  }
}
EXPORT(tileRanges) void tile_ranges_of(const float* plane, size_t frames, size_t tile, float* out) {
  tile_ranges(kSimd, plane, frames, tile, out);
}
EXPORT(toPcm16)
void to_pcm16_of(In planes, size_t channels, size_t frames, int32_t dithered, double first, int32_t planar,
                 int16_t* out) {
  to_pcm16(kSimd, planes, channels, frames, dithered ? Rounding::dithered : Rounding::nearest, uint64_t(first), out,
           planar ? 1 : channels, planar ? frames : 1);
}

}  // namespace earshot::wasm
