#include "alignment.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace earshot {
namespace {

constexpr float kNever = std::numeric_limits<float>::infinity();
// Of a frame beside a state that may sound like anything: more than a likeness costs, less than a random pair.
constexpr float kUnknown = 0.8f;
constexpr size_t kBlockBytes = size_t(16) << 20;
// Back pointers of a state: 0 to 3 are how many states back; a gap ends in front of its word's first three states.
constexpr uint8_t kFromGap = 4;

template <class T> void grow_to(std::vector<T>& values, size_t size) {
  if (values.size() < size) values.resize(size);
}

}  // namespace

Alignment::Alignment(size_t dimensions, const float* reference, std::vector<uint32_t> word_starts,
                     std::vector<float> gap_entry, AlignmentWindows windows, size_t frames, float scale)
    : dimensions_(dimensions),
      frames_(frames),
      states_(word_starts.back()),
      scale_(scale),
      reference_(dimensions * states_),
      word_starts_(std::move(word_starts)),
      gap_entry_(std::move(gap_entry)),
      windows_(std::move(windows)),
      local_(states_),
      starts_(words(), 0),
      ends_(words(), 0),
      word_costs_(words(), 0) {
  for (size_t j = 0; j < states_; j++)
    if (std::isnan(reference[j * dimensions]))
      unknown_.push_back(uint32_t(j));
    else
      for (size_t d = 0; d < dimensions; d++) reference_[d * states_ + j] = reference[j * dimensions + d];
  features_.reserve(frames * dimensions);
  gap_costs_.reserve(frames);
  for (Row* row : {&before_, &now_}) {
    row->state.assign(states_, kNever);
    row->gap.assign(words() + 1, kNever);
  }
  block_rows_ = rows_per_block();
  // In front of the first frame nothing has been said: the gap before the first word.
  before_.gap[0] = 0;
  before_.band = first_band();
}

Alignment::Band Alignment::first_band() const { return {0, 0, 0, 1}; }

// A word can be active in the rows from its earliest start to its latest end, a gap from the earliest end of the word
// before to the latest start of the word behind. The limits never fall, so both are runs that only move on.
Alignment::Band Alignment::band_at(size_t row, const Band& before) const {
  const int32_t t = int32_t(row);
  Band band = before;
  while (band.first_word < words() && windows_.latest_end[band.first_word] <= t) band.first_word++;
  band.last_word = std::max(band.last_word, band.first_word);
  while (band.last_word < words() && windows_.earliest_start[band.last_word] <= t) band.last_word++;
  while (band.first_gap < words() && windows_.latest_start[band.first_gap] <= t) band.first_gap++;
  band.last_gap = std::max(band.last_gap, band.first_gap);
  while (band.last_gap <= words() && (band.last_gap == 0 || windows_.earliest_end[band.last_gap - 1] <= t))
    band.last_gap++;
  return band;
}

size_t Alignment::rows_per_block() const {
  size_t widest = 1;
  Band band = first_band();
  for (size_t row = 0; row < frames_; row++) {
    band = band_at(row, band);
    widest = std::max(
        widest, size_t(word_starts_[band.last_word]) - word_starts_[band.first_word] + band.last_gap - band.first_gap);
  }
  return std::max<size_t>(64, kBlockBytes / widest);
}

bool Alignment::may_start(size_t word, size_t row) const {
  const int32_t t = int32_t(row);
  return windows_.earliest_start[word] <= t && t <= windows_.latest_start[word];
}

bool Alignment::may_end(size_t word, size_t row) const {
  const int32_t t = int32_t(row);
  return windows_.earliest_end[word] <= t && t <= windows_.latest_end[word];
}

void Alignment::clear(Row& row) const {
  std::fill(row.state.begin() + word_starts_[row.band.first_word], row.state.begin() + word_starts_[row.band.last_word],
            kNever);
  std::fill(row.gap.begin() + row.band.first_gap, row.gap.begin() + row.band.last_gap, kNever);
}

Alignment::Checkpoint Alignment::saved(const Row& row) const {
  const auto states = row.state.begin(), gaps = row.gap.begin();
  return {row.band,
          {states + word_starts_[row.band.first_word], states + word_starts_[row.band.last_word]},
          {gaps + row.band.first_gap, gaps + row.band.last_gap}};
}

void Alignment::restore(const Checkpoint& checkpoint) {
  clear(before_);
  clear(now_);
  before_.band = now_.band = checkpoint.band;
  std::copy(checkpoint.state.begin(), checkpoint.state.end(),
            before_.state.begin() + word_starts_[checkpoint.band.first_word]);
  std::copy(checkpoint.gap.begin(), checkpoint.gap.end(), before_.gap.begin() + checkpoint.band.first_gap);
}

void Alignment::begin_block(size_t row) {
  block_.first_row = row;
  block_.state_offset.assign(1, 0);
  block_.gap_offset.assign(1, 0);
  block_.bands.clear();
}

void Alignment::distances(const float* frame, size_t from, size_t to) {
  float* out = local_.data();
  std::fill(out + from, out + to, 0.0f);
  for (size_t d = 0; d < dimensions_; d++) {
    const float x = frame[d];
    const float* y = reference_.data() + d * states_;
    for (size_t j = from; j < to; j++) out[j] += (x - y[j]) * (x - y[j]);
  }
  for (size_t j = from; j < to; j++) out[j] = std::sqrt(out[j]) * scale_;
  for (auto j = std::lower_bound(unknown_.begin(), unknown_.end(), from); j != unknown_.end() && *j < to; j++)
    out[*j] = kUnknown;
}

float Alignment::distance(size_t row, size_t state) const {
  if (std::binary_search(unknown_.begin(), unknown_.end(), uint32_t(state))) return kUnknown;
  float sum = 0;
  for (size_t d = 0; d < dimensions_; d++) {
    const float difference = features_[row * dimensions_ + d] - reference_[d * states_ + state];
    sum += difference * difference;
  }
  return std::sqrt(sum) * scale_;
}

void Alignment::words_step(size_t row, const Band& band, uint8_t* back) {
  const float* before = before_.state.data();
  float* now = now_.state.data();
  const size_t base = word_starts_[band.first_word];
  const auto [stay, skip_one, skip_two] = costs_;
  const float jump[kFromGap] = {stay, 0, skip_one, skip_two};
  for (size_t w = band.first_word; w < band.last_word; w++) {
    const size_t begin = word_starts_[w], end = word_starts_[w + 1];
    const bool start = may_start(w, row);
    const bool direct = start && w > 0 && may_end(w - 1, row);
    // A way passes through every word: it comes from this one or the one before.
    const size_t least = direct ? word_starts_[w - 1] : begin;
    const size_t middle = std::min(end, begin + 3);
    for (size_t j = begin; j < middle; j++) {
      float best = before[j] + stay;
      uint8_t from = 0;
      for (uint8_t steps = 1; steps <= 3 && j >= least + steps; steps++) {
        const float cost = before[j - steps] + jump[steps];
        if (cost < best) best = cost, from = steps;
      }
      if (start) {
        const float cost = before_.gap[w] + jump[1 + j - begin];
        if (cost < best) best = cost, from = kFromGap;
      }
      now[j] = best + local_[j];
      back[j - base] = from;
    }
    for (size_t j = middle; j < end; j++) {
      const float staying = before[j] + stay, step = before[j - 1], one = before[j - 2] + skip_one,
                  two = before[j - 3] + skip_two;
      const float near = step < staying ? step : staying, far = one < two ? one : two;
      now[j] = (near < far ? near : far) + local_[j];
      const int near_from = step < staying ? 1 : 0, far_from = one < two ? 2 : 3;
      back[j - base] = uint8_t(near < far ? near_from : far_from);
    }
  }
}

void Alignment::gaps_step(size_t row, const Band& band, uint8_t* back) {
  const float leave[3] = {0, costs_.skip_one, costs_.skip_two};
  for (size_t k = band.first_gap; k < band.last_gap; k++) {
    float best = before_.gap[k];
    uint8_t from = 0;
    if (k > 0 && may_end(k - 1, row)) {
      const size_t begin = word_starts_[k - 1], end = word_starts_[k];
      for (uint8_t left = 0; left < 3 && end - left > begin; left++) {
        const float cost = before_.state[end - 1 - left] + leave[left] + gap_entry_[k];
        if (cost < best) best = cost, from = uint8_t(left + 1);
      }
    }
    now_.gap[k] = best + gap_costs_[row];
    back[k - band.first_gap] = from;
  }
}

void Alignment::step(size_t row) {
  const Band band = band_at(row, before_.band);
  clear(now_);
  now_.band = band;
  const size_t from = word_starts_[band.first_word], to = word_starts_[band.last_word];
  const size_t state_at = block_.state_offset.back(), gap_at = block_.gap_offset.back();
  const size_t state_end = state_at + (to - from), gap_end = gap_at + (band.last_gap - band.first_gap);
  grow_to(block_.state, state_end);
  grow_to(block_.gap, gap_end);
  block_.state_offset.push_back(state_end);
  block_.gap_offset.push_back(gap_end);
  block_.bands.push_back(band);

  distances(features_.data() + row * dimensions_, from, to);
  words_step(row, band, block_.state.data() + state_at);
  gaps_step(row, band, block_.gap.data() + gap_at);

  // Costs stay small, so that float32 tells ways apart after hours, too.
  float least = kNever;
  for (size_t j = from; j < to; j++) least = std::min(least, now_.state[j]);
  for (size_t k = band.first_gap; k < band.last_gap; k++) least = std::min(least, now_.gap[k]);
  if (least < kNever) {
    for (size_t j = from; j < to; j++) now_.state[j] -= least;
    for (size_t k = band.first_gap; k < band.last_gap; k++) now_.gap[k] -= least;
  }
  std::swap(before_, now_);
}

void Alignment::push(const float* features, const float* gap_costs, size_t frames) {
  features_.insert(features_.end(), features, features + frames * dimensions_);
  gap_costs_.insert(gap_costs_.end(), gap_costs, gap_costs + frames);
  for (size_t i = 0; i < frames; i++, row_++) {
    if (row_ % block_rows_ == 0) {
      checkpoints_.push_back(saved(before_));
      begin_block(row_);
    }
    step(row_);
  }
}

bool Alignment::choose_end() {
  const size_t last = words();
  float best = before_.gap[last];
  in_gap_ = true;
  at_ = word_ = last;
  if (last > 0 && may_end(last - 1, frames_)) {
    const float leave[3] = {0, costs_.skip_one, costs_.skip_two};
    for (size_t left = 0; left < 3 && states_ - left > word_starts_[last - 1]; left++) {
      const float cost = before_.state[states_ - 1 - left] + leave[left];
      if (cost < best) {
        best = cost;
        in_gap_ = false;
        at_ = states_ - 1 - left;
      }
    }
  }
  return best < kNever;
}

bool Alignment::trace() {
  if (!tracing_) {
    tracing_ = true;
    found_ = choose_end();
    if (!found_ || frames_ == 0) return true;
    if (!in_gap_) {
      word_ = words() - 1;
      ends_[word_] = int32_t(frames_);
    }
  } else if (!found_ || block_.first_row == 0) {
    return true;
  } else {
    const size_t row = block_.first_row - block_rows_;
    checkpoints_.pop_back();
    restore(checkpoints_.back());
    begin_block(row);
    for (size_t i = row; i < row + block_rows_; i++) step(i);
  }
  for (size_t i = block_.bands.size(); i-- > 0;) {
    const size_t row = block_.first_row + i;
    const Band& band = block_.bands[i];
    if (in_gap_) {
      const uint8_t from = block_.gap[block_.gap_offset[i] + at_ - band.first_gap];
      if (from == 0) continue;
      word_ = at_ - 1;
      ends_[word_] = int32_t(row);
      in_gap_ = false;
      at_ = word_starts_[at_] - from;
      continue;
    }
    word_costs_[word_] += distance(row, at_);
    const uint8_t from = block_.state[block_.state_offset[i] + at_ - word_starts_[band.first_word]];
    if (from == kFromGap || at_ - from < word_starts_[word_]) {
      starts_[word_] = int32_t(row);
      word_costs_[word_] /= float(ends_[word_] - starts_[word_]);
      if (from == kFromGap) {
        in_gap_ = true;
        at_ = word_;
        continue;
      }
      word_--;
      ends_[word_] = int32_t(row);
    }
    at_ -= from;
  }
  return block_.first_row == 0;
}

}  // namespace earshot
