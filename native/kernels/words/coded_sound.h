// Detects coded streams in what is declared as PCM.
#pragma once

#include <cstddef>
#include <cstdint>

namespace earshot {

/**
 * Looks for streams that travel as if they were 16-bit PCM: DTS (ETSI TS 102 114: 16 and 14 bits, both byte orders),
 * AC-3 and E-AC-3 (ETSI TS 102 366, both byte orders), AAC in ADTS and LOAS (ISO/IEC 14496-3), MPEG audio (ISO/IEC
 * 11172-3), TrueHD, and bursts of IEC 61937 (S/PDIF, both byte orders). Sync words of four bytes count by themselves,
 * shorter ones as three or four frames of one kind in a row, each where the one before says that it ends: sooner than
 * FFmpeg's own probe takes them for sound, so that what this leaves out FFmpeg would leave out, too. PCM hardly ever
 * looks like that.
 */
bool holds_coded_sound(const uint8_t* bytes, size_t length);

}  // namespace earshot
