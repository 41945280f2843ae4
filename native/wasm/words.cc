// What finds words.
#include "../kernels/words/alignment.h"
#include "../kernels/words/coded_sound.h"
#include "../kernels/words/fbank.h"
#include "../kernels/words/log_mel.h"
#include "../kernels/words/nearest_row.h"
#include "../kernels/words/token_scores.h"
#include "../kernels/words/token_times.h"
#include "api.h"

namespace earshot::wasm {

EXPORT(logMelCreate) LogMel* log_mel_create(size_t bands) { return new LogMel(kSimd, bands); }
EXPORT(logMelFree) void log_mel_free(LogMel* kernel) { delete kernel; }
EXPORT(logMelProcess)
void log_mel_process(LogMel* kernel, const float* samples, size_t count, size_t frames, float* out) {
  kernel->process(samples, count, frames, out);
}

EXPORT(scoreTokens) void score_tokens_of(const float* logits, size_t count) {
  const TokenScores scores = score_tokens(kSimd, logits, count);
  answers.numbers[0] = double(scores.best);
  answers.numbers[1] = scores.most;
  answers.numbers[2] = scores.log_sum;
}
EXPORT(likeliestTokens) size_t likeliest_tokens_of(const float* logits, size_t count, size_t most, uint32_t* best) {
  return likeliest_tokens(kSimd, logits, count, most, best);
}
EXPORT(tokenTimes) size_t token_times_of(const float* attention, size_t tokens, size_t heads, size_t positions) {
  answers.doubles = token_times(kSimd, attention, tokens, heads, positions);
  return give(answers.doubles);
}

EXPORT(alignmentCreate)
Alignment* alignment_create(size_t dimensions, const float* reference, const uint32_t* starts, size_t words,
                            const float* gap_entry, const int32_t* earliest_start, const int32_t* latest_start,
                            const int32_t* earliest_end, const int32_t* latest_end, size_t frames, float scale) {
  return new Alignment(
      dimensions, reference, taken(starts, words + 1), taken(gap_entry, words + 1),
      {taken(earliest_start, words), taken(latest_start, words), taken(earliest_end, words), taken(latest_end, words)},
      frames, scale);
}
EXPORT(alignmentFree) void alignment_free(Alignment* alignment) { delete alignment; }
EXPORT(alignmentPush)
void alignment_push(Alignment* alignment, const float* features, const float* gap_costs, size_t frames) {
  alignment->push(features, gap_costs, frames);
}
EXPORT(alignmentTrace) int32_t alignment_trace(Alignment* alignment) { return alignment->trace(); }
EXPORT(alignmentFound) int32_t alignment_found(Alignment* alignment) { return alignment->found(); }
EXPORT(alignmentStarts) size_t alignment_starts(Alignment* alignment) { return give(alignment->starts()); }
EXPORT(alignmentEnds) size_t alignment_ends(Alignment* alignment) { return give(alignment->ends()); }
EXPORT(alignmentCosts) size_t alignment_costs(Alignment* alignment) { return give(alignment->costs()); }

EXPORT(fbankCreate) Fbank* fbank_create(size_t bands, double low_hz, double high_hz, size_t form) {
  return new Fbank(kSimd, Fbank::Form(form), bands, low_hz, high_hz);
}
EXPORT(fbankFree) void fbank_free(Fbank* fbank) { delete fbank; }
EXPORT(fbankRows) void fbank_rows(Fbank* fbank, const float* samples, size_t count, float* rows) {
  fbank->rows(samples, count, rows);
}

EXPORT(holdsCodedSound) int32_t holds_coded_sound_at(const uint8_t* bytes, size_t count) {
  return holds_coded_sound(bytes, count);
}
EXPORT(nearestRow)
size_t nearest_row_of(const float* rows, size_t length, size_t count, size_t item, size_t preferred) {
  return nearest_row(kSimd, rows, length, count, item, preferred);
}

}  // namespace earshot::wasm
