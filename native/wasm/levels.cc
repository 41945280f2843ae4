// Memory, and what measures sound.
#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "../kernels/levels/envelope.h"
#include "../kernels/levels/k_weighting.h"
#include "../kernels/levels/limiter.h"
#include "../kernels/levels/loudness.h"
#include "../kernels/levels/peaks.h"
#include "../kernels/levels/spectrum.h"
#include "../kernels/levels/stats.h"
#include "../kernels/levels/true_peak.h"
#include "api.h"

namespace earshot::wasm {

EXPORT(memoryTake) void* memory_take(size_t bytes) { return std::aligned_alloc(64, (bytes + 63) / 64 * 64); }
EXPORT(memoryGive) void memory_give(void* memory) { std::free(memory); }
EXPORT(numbers) const double* numbers() { return answers.numbers; }
EXPORT(list) const void* list() { return answers.list; }

EXPORT(peaksCreate) Peaks* peaks_create(uint32_t rate, size_t channels, double frames) {
  return new Peaks(kSimd, rate, channels, uint64_t(frames));
}
EXPORT(peaksFree) void peaks_free(Peaks* peaks) { delete peaks; }
EXPORT(peaksPush) void peaks_push(Peaks* peaks, In planes, size_t frames) { peaks->push(planes, frames); }
EXPORT(peaksFinish) double peaks_finish(Peaks* peaks) {
  peaks->finish();
  return peaks->peak();
}
EXPORT(peaksLevel) size_t peaks_level(Peaks* peaks, size_t bins) {
  answers.bytes = bins == 1 ? peaks->finest() : peaks->merged(bins);
  return give(answers.bytes);
}

EXPORT(loudnessCreate) Loudness* loudness_create(uint32_t rate, const double* weights, size_t channels) {
  return new Loudness(kSimd, rate, taken(weights, channels));
}
EXPORT(loudnessFree) void loudness_free(Loudness* loudness) { delete loudness; }
EXPORT(loudnessPush) void loudness_push(Loudness* loudness, In planes, size_t frames) {
  loudness->push(planes, frames);
}
EXPORT(loudnessResult) void loudness_result(Loudness* loudness) {
  const LoudnessResult r = loudness->result();
  const double all[] = {r.integrated, r.range,      r.max_momentary,       r.max_short_term,
                        r.momentary,  r.short_term, double(r.gated_blocks)};
  std::copy(std::begin(all), std::end(all), answers.numbers);
}
EXPORT(loudnessSeries) size_t loudness_series(Loudness* loudness) {
  answers.floats = loudness->short_term_series();
  return give(answers.floats);
}
EXPORT(kWeightingFilter) size_t k_weighting_filter(uint32_t rate) {
  const KWeighting filter(kSimd, rate);
  answers.doubles.clear();
  for (const Biquad& b : {filter.shelf(), filter.high_pass()})
    answers.doubles.insert(answers.doubles.end(), {b.b0, b.b1, b.b2, b.a1, b.a2});
  return give(answers.doubles);
}

EXPORT(truePeakCreate) TruePeak* true_peak_create(uint32_t rate, size_t channels) {
  return new TruePeak(kSimd, rate, channels);
}
EXPORT(truePeakFree) void true_peak_free(TruePeak* meter) { delete meter; }
EXPORT(truePeakPush) void true_peak_push(TruePeak* meter, In planes, size_t frames) { meter->push(planes, frames); }
EXPORT(truePeakFinish) size_t true_peak_finish(TruePeak* meter) {
  meter->finish();
  answers.doubles.clear();
  for (const TruePeak::Channel& c : meter->channels())
    answers.doubles.insert(answers.doubles.end(), {c.true_peak, c.sample_peak});
  return give(answers.doubles);
}

EXPORT(statsCreate) Stats* stats_create(size_t channels) { return new Stats(kSimd, channels); }
EXPORT(statsFree) void stats_free(Stats* stats) { delete stats; }
EXPORT(statsPush) void stats_push(Stats* stats, In planes, size_t frames) { stats->push(planes, frames); }
EXPORT(statsResult) size_t stats_result(Stats* stats) {
  const Stats all = stats->drained();
  answers.doubles.clear();
  for (size_t c = 0; c < all.channels().size(); c++) {
    const Stats::Channel& channel = all.channels()[c];
    answers.doubles.insert(answers.doubles.end(),
                           {all.mean(c), all.mean_square(c), double(channel.peak), double(channel.clipped)});
  }
  answers.numbers[0] = double(all.frames());
  answers.numbers[1] = double(all.unusable());
  answers.numbers[2] = all.correlation();
  return give(answers.doubles);
}

EXPORT(envelopeCreate) Envelope* envelope_create(uint32_t rate, size_t channels, double hop_seconds) {
  return new Envelope(kSimd, rate, channels, hop_seconds);
}
EXPORT(envelopeFree) void envelope_free(Envelope* envelope) { delete envelope; }
EXPORT(envelopePush) void envelope_push(Envelope* envelope, In planes, size_t frames) {
  envelope->push(planes, frames);
}
EXPORT(envelopeFinish) size_t envelope_finish(Envelope* envelope) {
  envelope->finish();
  return give(envelope->mean_square());
}

EXPORT(spectrumCreate) Spectrum* spectrum_create(uint32_t rate, size_t channels, size_t size, double every) {
  return new Spectrum(kSimd, rate, channels, size, every);
}
EXPORT(spectrumFree) void spectrum_free(Spectrum* spectrum) { delete spectrum; }
EXPORT(spectrumPush) void spectrum_push(Spectrum* spectrum, In planes, size_t frames) {
  spectrum->push(planes, frames);
}
EXPORT(spectrumResult) size_t spectrum_result(Spectrum* spectrum, int32_t most) {
  const Spectrum all = spectrum->drained();
  answers.numbers[0] = double(all.frames());
  answers.doubles = most ? all.max_power() : all.mean_power();
  return give(answers.doubles);
}

EXPORT(limiterCreate)
Limiter* limiter_create(uint32_t rate, size_t channels, double ceiling_dbtp, double gain_db, double lookahead_ms,
                        double release_ms) {
  Limiter::Options o;
  o.sample_rate = rate;
  o.channels = channels;
  o.ceiling = std::pow(10.0, ceiling_dbtp / 20.0);
  o.gain = float(std::pow(10.0, gain_db / 20.0));
  o.lookahead_seconds = lookahead_ms / 1000.0;
  o.release_seconds = release_ms / 1000.0;
  return new Limiter(kSimd, o);
}
EXPORT(limiterFree) void limiter_free(Limiter* limiter) { delete limiter; }
EXPORT(limiterLatency) size_t limiter_latency(Limiter* limiter) { return limiter->latency_frames(); }
EXPORT(limiterProcess) void limiter_process(Limiter* limiter, In in, Out out, size_t frames) {
  limiter->process(in, out, frames);
}
EXPORT(limiterMaxReduction) double limiter_max_reduction(Limiter* limiter) { return limiter->max_reduction_db(); }

}  // namespace earshot::wasm
