// How q8_matrix lays a matrix out, and the piece of it that is computed at a time.
#pragma once

#include <cstddef>
#include <cstdint>

#include "q8_matrix.h"

namespace earshot {

constexpr size_t kPanel = 16;                              // outputs that are computed together
constexpr size_t kQuad = 4;                                // inputs of one output that lie side by side
constexpr size_t kRun = 8;                                 // with i8mm in the place of kQuad
constexpr size_t kPair = 2;                                // with words of 16 bits in the place of kQuad
constexpr size_t kWeightBytes = kPanel * kQ8Block;         // of a block of a panel
constexpr size_t kBlockBytes = kWeightBytes + kPanel * 4;  // with its scales

/**
 * What turns a byte of the table, in which 128 means 0, into one of a packed matrix (exclusive or). arm64
 * multiplies signed bytes with signed ones; x64 unsigned with signed, and takes the surplus off with
 * Q8Vectors::offsets.
 */
constexpr uint8_t kFlip = EARSHOT_ARM64 ? 0x80 : 0;

/** Sums of one panel: [vector][16]. */
struct Tile {
  const uint8_t* panel;
  size_t blocks;
  const Q8Vectors* vectors;
  size_t first;
  /**
   * The panel comes from memory and not from the cache. It may be asked for ahead: processors do not look beyond the
   * end of a page.
   */
  bool is_first;
};

using SumTile = void (*)(const Tile&, float*);

constexpr size_t kMostVectors = 8;

/** Ways to sum a tile of 1, 2, ... 8 vectors; nullptr where there is none for so many. */
struct Ways {
  SumTile of[kMostVectors];
};

#if EARSHOT_X86
/** With AVX2, or AVX-512's products of 8 bits where there are any: the same sums in the same order, bit for bit. */
Ways x64_ways();
#elif EARSHOT_WASM
/** Bit for bit what plain C++ gives. */
Ways wasm_ways();
#elif EARSHOT_ARM64
/** Bit for bit what plain C++ gives. @param simd dotprod or i8mm */
Ways arm64_ways(Simd simd);
#endif

}  // namespace earshot
