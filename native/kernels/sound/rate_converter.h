// Another sample rate: band-limited interpolation (J. O. Smith, "Digital audio resampling"; R. E. Crochiere and L. R.
// Rabiner, "Multirate digital signal processing", 1983) with a sinc under Kaiser's window.
//
// Output n lies at n * from / to. Its place between two inputs repeats after to / gcd outputs, so the weights of one
// period are computed once. They are kept for eight outputs at a time: the inputs that any of the eight needs, each
// with eight weights, some of them 0. An input is spread over a vector and multiplied with its eight weights, for
// several such groups of one phase and for all channels side by side, so that there are no sums across a vector. Ratios
// with very long periods take weights between two of a table instead.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "../base/simd.h"

namespace earshot {

class RateConverter {
 public:
  /** Inputs on either side that an output is made of, at the lower of the two rates. */
  static constexpr size_t kReach = 40;
  /** Outputs of a group: they come together. */
  static constexpr size_t kGroup = 8;

  /** Rates in Hz, each above 0. */
  RateConverter(Simd simd, size_t channels, uint32_t from, uint32_t to);

  size_t channels() const { return channels_; }
  /** Frames that process would give for so many. */
  size_t ready(size_t frames) const;
  /** Frames that flush would give. */
  size_t rest() const;
  /** Writes ready(frames) frames. Samples that are not usable count as 0. */
  void process(const float* const* in, float* const* out, size_t frames);
  /** Writes rest() frames; nothing may follow. Together: frames * to / from, rounded; one at least. */
  void flush(float* const* out);
  /** Gives its memory back. From then on it takes nothing and gives nothing. */
  void close();

 private:
  /** Groups that can be made of the first `total` inputs. */
  uint64_t groups_of(uint64_t total) const;
  /** The first input that a group needs. */
  int64_t first_of(uint64_t group) const;
  uint64_t whole() const;
  void reflect_start();
  void make_weights();
  void make_table();
  void run(uint64_t from_group, uint64_t to_group, float* const* out);
  void run_between(uint64_t from_group, uint64_t to_group, float* const* out);
  void make(uint64_t to_group, float* const* out);
  void drop_used();

  Simd simd_;
  size_t channels_;
  uint64_t up_, down_;          // to and from without their common divisor
  size_t reach_;                // inputs on either side
  size_t span_;                 // inputs of a group
  size_t period_ = 0;           // groups; 0: weights lie between those of table_
  size_t phases_ = 0;           // rows of table_, less one
  std::vector<float> weights_;  // [group of a period][input][output]
  std::vector<float> table_;    // [phase][input]
  std::vector<std::vector<float>> held_;
  int64_t held_from_ = 0;  // input number of held_[..][0]
  uint64_t taken_ = 0;     // inputs so far
  uint64_t made_ = 0;      // groups so far
  bool started_ = false, closed_ = false;
};

}  // namespace earshot
