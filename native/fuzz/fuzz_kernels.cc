// libFuzzer's door to the kernels that read what strangers send: bytes of files, and samples of any value in blocks of
// any length. Built with AddressSanitizer and UndefinedBehaviorSanitizer by scripts/fuzz-native.mjs; what is computed
// is tested elsewhere, here only that nothing is read or written where it should not be, and that counts agree.
// Settings stay in the ranges that native/binding lets through.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "../kernels/words/alignment.h"
#include "../kernels/words/coded_sound.h"
#include "../kernels/sound/declip.h"
#include "../kernels/levels/envelope.h"
#include "../kernels/words/fbank.h"
#include "../kernels/base/fft.h"
#include "../kernels/sound/fir.h"
#include "../kernels/levels/limiter.h"
#include "../kernels/words/log_mel.h"
#include "../kernels/levels/loudness.h"
#include "../kernels/words/nearest_row.h"
#include "../kernels/sound/ops.h"
#include "../kernels/sound/pcm16.h"
#include "../kernels/sound/rate_converter.h"
#include "../kernels/sound/resample.h"
#include "../kernels/levels/peaks.h"
#include "../kernels/base/simd.h"
#include "../kernels/levels/spectrum.h"
#include "../kernels/levels/stats.h"
#include "../kernels/rnnoise/rnnoise.h"
#include "../kernels/sound/stft.h"
#include "../kernels/words/token_scores.h"
#include "../kernels/words/token_times.h"
#include "../kernels/levels/true_peak.h"

namespace {

using namespace earshot;

void require(bool holds) {
  if (!holds) abort();
}

/** What the fuzzer gives, taken piece by piece. */
class Given {
 public:
  Given(const uint8_t* bytes, size_t length) : bytes_(bytes), left_(length) {}

  uint8_t byte() { return left_ ? (--left_, *bytes_++) : 0; }
  size_t below(size_t n) { return (size_t(byte()) << 8 | byte()) % n; }
  size_t left() const { return left_; }

  /** Any float at all, or a 16-bit sample, as the first byte says. */
  std::vector<float> samples(size_t n, bool any) {
    std::vector<float> out(n);
    for (float& sample : out) {
      if (any) {
        uint32_t bits = 0;
        for (int i = 0; i < 4; i++) bits = bits << 8 | byte();
        std::memcpy(&sample, &bits, 4);
      } else {
        sample = float(int16_t(uint16_t(byte()) << 8 | byte())) / 32768.0f;
      }
    }
    return out;
  }

 private:
  const uint8_t* bytes_;
  size_t left_;
};

constexpr uint32_t kRates[] = {1, 8000, 11025, 16000, 22050, 44100, 48000, 96000, 192000, 768000};

/** Blocks of exactly as much memory as they hold, so that one sample too far is seen. */
template <class Push> size_t in_blocks(Given& given, size_t channels, Push push) {
  const bool any = given.byte() & 1;
  size_t frames = 0;
  for (int block = 0; block < 40 && given.left() > 0; block++) {
    const size_t n = given.byte() & 1 ? given.below(8) : given.below(3000);
    std::vector<std::vector<float>> planes(channels);
    std::vector<float*> pointers;
    for (auto& plane : planes) {
      plane = given.samples(n, any);
      plane.shrink_to_fit();
      pointers.push_back(plane.data());
    }
    push(pointers.data(), n);
    frames += n;
  }
  return frames;
}

void hostile_ops(Simd simd, Given& given, size_t channels) {
  const float gain = float(given.below(4000)) / 1000.0f - 2.0f;
  const FadeShape shape = given.byte() & 1 ? FadeShape::equal_power : FadeShape::linear;
  uint64_t position = 0;
  const uint64_t total = 40ull * 3000;
  in_blocks(given, channels, [&](float** planes, size_t n) {
    std::vector<float> out(n), falling(kFadeTile), rising(kFadeTile);
    apply_gain(simd, planes[0], n, gain);
    mix_into(simd, planes[0], planes[channels - 1], n, gain);
    for (size_t at = 0; at < n; at += kFadeTile) {
      const size_t tile = std::min(kFadeTile, n - at);
      fade_gains(simd, shape, position + at, total, tile, falling.data(), rising.data());
      mix_two(simd, planes[0] + at, falling.data(), planes[channels - 1] + at, rising.data(), out.data() + at, tile);
    }
    position += n;
  });
}

/** Limits of words that never fall, as native/binding lets through, and may lie anywhere. */
std::vector<int32_t> limits(Given& given, size_t words) {
  std::vector<int32_t> out(words);
  int32_t at = int32_t(given.below(40)) - 8;
  for (int32_t& limit : out) limit = (at += int32_t(given.below(12)));
  return out;
}

void hostile_alignment(Given& given) {
  const size_t dimensions = 1 + given.below(20), words = given.below(12), frames = given.below(60);
  std::vector<uint32_t> starts{0};
  for (size_t w = 0; w < words; w++) starts.push_back(starts.back() + 1 + uint32_t(given.below(6)));
  AlignmentWindows windows{limits(given, words), limits(given, words), limits(given, words), limits(given, words)};
  const bool any = given.byte() & 1;
  const auto reference = given.samples(dimensions * starts.back(), any), gap_entry = given.samples(words + 1, any);
  Alignment alignment(dimensions, reference.data(), starts, gap_entry, std::move(windows), frames,
                      float(given.below(1000)) / 100.0f);
  const auto features = given.samples(dimensions * frames, any), gap_costs = given.samples(frames, any);
  const size_t first = frames == 0 ? 0 : given.below(frames);
  alignment.push(features.data(), gap_costs.data(), first);
  alignment.push(features.data() + first * dimensions, gap_costs.data() + first, frames - first);
  while (!alignment.trace()) continue;
  require(!alignment.found() || alignment.starts().size() == words);
}

/** Weights of any kind; blocks that may not fit, which must be refused. */
RnnoiseLayer any_layer(Given& given, const RnnoiseNetwork::Shape& shape, bool fits) {
  RnnoiseLayer layer;
  layer.inputs = shape.inputs;
  layer.outputs = shape.outputs;
  layer.bias.assign(shape.outputs, float(given.below(1000)) / 500.0f - 1);
  if (!shape.in_bytes) {
    layer.floats.assign(shape.inputs * shape.outputs, float(given.below(1000)) / 5000.0f - 0.1f);
    return layer;
  }
  layer.scale.assign(shape.outputs, float(given.below(1000)) / 1e6f);
  for (size_t row = 0; row < shape.outputs; row += 8) {
    const size_t count = given.below(4);
    layer.blocks.push_back(int32_t(count));
    for (size_t k = 0; k < count; k++)
      layer.blocks.push_back(fits ? int32_t(given.below(shape.inputs - 3)) : int32_t(given.below(1024)) - 100);
    layer.bytes.resize(layer.bytes.size() + 32 * count, int8_t(given.byte()));
  }
  if (!fits && given.byte() & 1) layer.blocks.push_back(int32_t(given.below(100)));
  if (given.byte() & 1 && shape.outputs == 3 * RnnoiseNetwork::kWidth)
    layer.diagonal.assign(3 * RnnoiseNetwork::kWidth, float(given.below(1000)) / 500.0f - 1);
  return layer;
}

void hostile_rnnoise(Simd simd, Given& given) {
  auto network = std::make_shared<RnnoiseNetwork>(simd);
  for (size_t at = 0; at < RnnoiseNetwork::kLayers; at++) {
    network->set(at, any_layer(given, RnnoiseNetwork::kShapes[at], false));
    require(network->set(at, any_layer(given, RnnoiseNetwork::kShapes[at], true)));
  }
  require(network->complete());
  Rnnoise rnnoise(simd, network);
  const size_t count = given.below(20);
  const auto samples = given.samples(count * Rnnoise::kFrame, given.byte() & 1);
  std::vector<float> out(samples.size()), voice(count);
  rnnoise.process(samples.data(), count, out.data(), voice.data());
  for (const float probability : voice) require(probability >= 0 && probability <= 1);
}

constexpr const char* kKernels[] = {
    "coded_sound", "peaks",     "true_peak", "stats",    "envelope",       "spectrum", "limiter",     "fir",
    "stft",        "log_mel",   "fbank",     "declip",   "loudness",       "ops",      "nearest_row", "token_scores",
    "token_times", "alignment", "rnnoise",   "resample", "rate_converter", "pcm16"};
uint64_t calls[std::size(kKernels)];

/** How often each was called, for scripts/fuzz-native.mjs. */
void write_calls() {
  FILE* file = std::fopen("kernel-calls.tsv", "w");
  if (!file) return;
  for (size_t i = 0; i < std::size(kKernels); i++)
    std::fprintf(file, "%s\t%llu\n", kKernels[i], static_cast<unsigned long long>(calls[i]));
  std::fclose(file);
}

void one(Given given) {
  const Simd simd = given.byte() & 1 ? Simd::baseline : choose_simd(nullptr);
  const uint32_t rate = kRates[given.below(std::size(kRates))];
  const size_t channels = 1 + given.below(8);
  const size_t kernel = given.below(std::size(kKernels));
  calls[kernel]++;
  switch (kernel) {
    case 0: {
      std::vector<uint8_t> bytes(given.left());
      for (uint8_t& byte : bytes) byte = given.byte();
      const bool coded = holds_coded_sound(bytes.data(), bytes.size());
      require(coded == holds_coded_sound(bytes.data(), bytes.size()));
      break;
    }
    case 1: {
      Peaks peaks(simd, rate, channels, given.below(100000));
      in_blocks(given, channels, [&](float** planes, size_t n) { peaks.push(planes, n); });
      peaks.finish();
      peaks.merged(1 + given.below(4000));
      require(peaks.peak() >= 0 && peaks.peak() <= 1);
      break;
    }
    case 2: {
      TruePeak peak(simd, rate, channels);
      in_blocks(given, channels, [&](float** planes, size_t n) { peak.push(planes, n); });
      peak.finish();
      require(peak.channels().size() == channels);
      break;
    }
    case 3: {
      Stats stats(simd, channels);
      const size_t frames = in_blocks(given, channels, [&](float** planes, size_t n) { stats.push(planes, n); });
      require(stats.drained().frames() == frames);
      break;
    }
    case 4: {
      Envelope envelope(simd, rate, channels, std::max(1.0 / rate, 0.001 * double(1 + given.below(1000))));
      in_blocks(given, channels, [&](float** planes, size_t n) { envelope.push(planes, n); });
      envelope.finish();
      break;
    }
    case 5: {
      const size_t size = Fft::kLeast << given.below(8);
      const double every = std::max(double(size) / 16.0 / rate, 0.01 * double(given.below(100)));
      Spectrum spectrum(simd, rate, channels, size, every);
      in_blocks(given, channels, [&](float** planes, size_t n) { spectrum.push(planes, n); });
      spectrum.drained().mean_power();
      break;
    }
    case 6: {
      Limiter limiter(simd, {rate, channels, 0.001 * double(1 + given.below(1000)), 0.1f * float(given.below(100)),
                             0.0001 * double(1 + given.below(1000)), 0.001 * double(1 + given.below(10000))});
      in_blocks(given, channels, [&](float** planes, size_t n) { limiter.process(planes, planes, n); });
      require(limiter.max_reduction_db() >= 0);
      break;
    }
    case 7: {
      Fir fir(simd, channels, given.samples(1 + given.below(600), false));
      in_blocks(given, channels, [&](float** planes, size_t n) { fir.process(planes, planes, n); });
      break;
    }
    case 8: {
      const size_t frame = Stft::kLeastFrame << given.below(6);
      Stft stft(simd, std::vector<float>(frame, 1.0f), 1 + given.below(frame));
      const size_t count = given.below(20);
      const auto samples = given.samples(stft.span(count), given.byte() & 1);
      std::vector<float> re(count * stft.bins()), im(re.size()), out(stft.span(count));
      stft.forward(samples.data(), count, 1, re.data(), im.data());
      stft.inverse(re.data(), im.data(), count, 1, out.data());
      break;
    }
    case 9: {
      LogMel mel(simd, 1 + given.below(LogMel::kMostBands));
      const size_t frames = given.below(20);
      const auto samples = given.samples(given.below(4000), given.byte() & 1);
      std::vector<float> out(frames * mel.bands());
      mel.process(samples.data(), samples.size(), frames, out.data());
      break;
    }
    case 11: {
      const size_t frame = Declip::kLeastFrame << given.below(4), count = given.below(20);
      Declip declip(simd, frame);
      const std::vector<float> samples = given.samples(count * frame, given.byte() & 1);
      std::vector<float> out(count * frame);
      const float level = float(given.below(100)) / 50.0f - 1.0f;
      declip.restore(samples.data(), count, -level, level, 1 + given.below(40), out.data());
      break;
    }
    case 12: {
      std::vector<double> weights(channels);
      for (double& weight : weights) weight = 0.5 * double(given.below(4));
      Loudness loudness(simd, rate, weights);
      in_blocks(given, channels, [&](float** planes, size_t n) { loudness.push(planes, n); });
      loudness.result();
      loudness.short_term_series();
      break;
    }
    case 13: {
      hostile_ops(simd, given, channels);
      break;
    }
    case 14: {
      const size_t length = 1 + given.below(300), count = 2 + given.below(20);
      const auto rows = given.samples(length * count, given.byte() & 1);
      const size_t item = given.below(count);
      const size_t nearest = nearest_row(simd, rows.data(), length, count, item, given.below(count + 1));
      require(nearest < count && nearest != item);
      break;
    }
    case 15: {
      const auto logits = given.samples(1 + given.below(3000), given.byte() & 1);
      require(score_tokens(simd, logits.data(), logits.size()).best < logits.size());
      break;
    }
    case 16: {
      const size_t tokens = given.below(12), heads = 1 + given.below(4), positions = given.below(60);
      auto attention = given.samples(tokens * heads * positions, given.byte() & 1);
      require(token_times(simd, attention.data(), tokens, heads, positions).size() == tokens);
      break;
    }
    case 17: {
      hostile_alignment(given);
      break;
    }
    case 18: {
      hostile_rnnoise(simd, given);
      break;
    }
    case 19: {
      const size_t count = given.below(300);
      const double start = double(kResampleBefore) + double(given.below(1000)) / 64,
                   step = double(given.below(1025)) / 64;
      const size_t last = count ? size_t(start + step * double(count - 1)) : 0;
      const auto samples = given.samples(last + kResampleAfter + 1, given.byte() & 1);
      std::vector<float> out(count);
      resample(simd, samples.data(), start, step, out.data(), count);
      break;
    }
    case 20: {
      // The lowest rate with the highest has millions of taps.
      const uint32_t from = std::max(rate, 8000u), to = 8000 + uint32_t(given.below(65536));
      RateConverter converter(simd, channels, from, to);
      uint64_t made = 0;
      const auto take = [&](size_t n, auto write) {
        std::vector<std::vector<float>> out(channels, std::vector<float>(n));
        std::vector<float*> pointers;
        for (auto& plane : out) pointers.push_back(plane.data());
        write(pointers.data());
        made += n;
      };
      const size_t frames = in_blocks(given, channels, [&](float** planes, size_t n) {
        take(converter.ready(n), [&](float** out) { converter.process(planes, out, n); });
      });
      take(converter.rest(), [&](float** out) { converter.flush(out); });
      const uint64_t whole = (uint64_t(frames) * to * 2 + from) / (2 * uint64_t(from));
      require(made == (frames == 0 ? 0 : std::max<uint64_t>(1, whole)));
      break;
    }
    case 21: {
      const Rounding rounding = given.byte() & 1 ? Rounding::dithered : Rounding::nearest;
      const uint64_t first = uint64_t(given.below(65536)) << 24;
      in_blocks(given, channels, [&](float** planes, size_t n) {
        std::vector<int16_t> out(channels * n);
        to_pcm16(simd, planes, channels, n, rounding, first, out.data(), channels, 1);
      });
      break;
    }
    case 10: {
      Fbank fbank(simd, 1 + given.below(Fbank::kMostBands), 20, 7600);
      const size_t count = given.below(20);
      const auto samples = given.samples(fbank.span(count), given.byte() & 1);
      std::vector<float> rows(count * fbank.bands());
      fbank.rows(samples.data(), count, rows.data());
      break;
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  std::atexit(write_calls);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t length) {
  one(Given(bytes, length));
  return 0;
}
