// Which stretch of a recording is which word of a reference: Viterbi, left to right, one step per frame of the
// recording, with a gap state before each word and behind the last, in which the recording pauses while the reference
// waits.
//
// A word has times between which it may begin and end, so a row holds only the states that can be active: the band.
// Back pointers are kept for one block of rows. For the blocks before, the row in front of each is kept, and the block
// is computed once more on the way back: memory does not grow with the product of the lengths.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace earshot {

struct AlignmentCosts {
  float stay = 0.12f, skip_one = 0.12f, skip_two = 0.36f;
};

/** Of word w, in frames of the recording. Each list never falls. */
struct AlignmentWindows {
  std::vector<int32_t> earliest_start, latest_start, earliest_end, latest_end;
};

class Alignment {
 public:
  /**
   * reference: [state][dimension], NaN in the first of a state that may sound like anything; word_starts: first state
   * of each word and, last, the count of states; each word has at least one. gap_entry: [words + 1], cost of pausing in
   * front of word w or behind the last. scale: 1 / the distance of a random pair of frames.
   */
  Alignment(size_t dimensions, const float* reference, std::vector<uint32_t> word_starts, std::vector<float> gap_entry,
            AlignmentWindows windows, size_t frames, float scale);

  size_t dimensions() const { return dimensions_; }
  size_t words() const { return word_starts_.size() - 1; }
  size_t frames() const { return frames_; }
  size_t pushed() const { return row_; }
  /** features: [frame][dimension]; gap_costs: of a frame that is no word. Not more than `frames` in all. */
  void push(const float* features, const float* gap_costs, size_t frames);

  /** After all frames: goes one block of rows back. True when the way has come to its beginning. */
  bool trace();
  /** Was there any way that keeps to the windows? Known after the first `trace`. */
  bool found() const { return found_; }
  /** First frame of each word and the one behind its last. */
  const std::vector<int32_t>& starts() const { return starts_; }
  const std::vector<int32_t>& ends() const { return ends_; }
  /** Mean cost of a word's frames; a random pair costs 1. */
  const std::vector<float>& costs() const { return word_costs_; }

 private:
  struct Band {
    size_t first_word, last_word, first_gap, last_gap;  // last: one behind
  };
  struct Row {
    std::vector<float> state, gap;
    Band band{};
  };
  struct Block {
    size_t first_row = 0;
    std::vector<uint8_t> state, gap;
    std::vector<size_t> state_offset, gap_offset;
    std::vector<Band> bands;
  };
  struct Checkpoint {
    Band band;
    std::vector<float> state, gap;
  };

  Band band_at(size_t row, const Band& before) const;
  bool may_start(size_t word, size_t row) const;
  bool may_end(size_t word, size_t row) const;
  void begin_block(size_t row);
  void step(size_t row);
  void words_step(size_t row, const Band& band, uint8_t* back);
  void gaps_step(size_t row, const Band& band, uint8_t* back);
  void distances(const float* frame, size_t from, size_t to);
  float distance(size_t row, size_t state) const;
  void clear(Row& row) const;
  Checkpoint saved(const Row& row) const;
  void restore(const Checkpoint& checkpoint);
  bool choose_end();
  size_t rows_per_block() const;
  Band first_band() const;

  AlignmentCosts costs_;
  size_t dimensions_, frames_, states_;
  float scale_;
  std::vector<float> reference_;   // [dimension][state]
  std::vector<uint32_t> unknown_;  // states with unknown sound
  std::vector<uint32_t> word_starts_;
  std::vector<float> gap_entry_;
  AlignmentWindows windows_;
  std::vector<float> features_, gap_costs_, local_;

  size_t row_ = 0, block_rows_;
  Row before_, now_;
  Block block_;
  std::vector<Checkpoint> checkpoints_;

  bool tracing_ = false, found_ = false;
  bool in_gap_ = false;
  size_t at_ = 0;  // state or gap on the way back
  size_t word_ = 0;
  std::vector<int32_t> starts_, ends_;
  std::vector<float> word_costs_;
};

}  // namespace earshot
