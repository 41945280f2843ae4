#include "coded_sound.h"

#include <initializer_list>

namespace earshot {
namespace {

/** Bytes from a place on, in the order of the stream: `swapped` where every two have changed places. */
struct View {
  const uint8_t* at;
  size_t left;
  bool swapped;
  uint8_t operator[](size_t i) const { return at[swapped ? i ^ 1 : i]; }
};

/** A frame's length in bytes, and what its followers must agree with; length 0: no frame. */
struct Frame {
  size_t length;
  uint32_t kind;
};

constexpr size_t kHeader = 8;

Frame ac3(const View& b) {
  if (b[0] != 0x0b || b[1] != 0x77) return {0, 0};
  const unsigned rate = b[4] >> 6, id = b[5] >> 3;
  if (id > 16) return {0, 0};
  if (id > 10) return {2 * (size_t((b[2] & 7) << 8 | b[3]) + 1), 16};
  const unsigned code = b[4] & 63;
  if (rate == 3 || code > 37) return {0, 0};
  static const unsigned kbps[] = {32,  40,  48,  56,  64,  80,  96,  112, 128, 160,
                                  192, 224, 256, 320, 384, 448, 512, 576, 640};
  const unsigned k = kbps[code >> 1];
  const size_t words = rate == 0 ? 2 * k : rate == 2 ? 3 * k : k * 320 / 147 + (code & 1);
  return {2 * words, rate + 1};
}

Frame adts(const View& b) {
  if (b[0] != 0xff || (b[1] & 0xf6) != 0xf0) return {0, 0};
  const unsigned rate = (b[2] >> 2) & 15;
  const size_t length = size_t(b[3] & 3) << 11 | size_t(b[4]) << 3 | b[5] >> 5;
  if (rate > 12 || length < 7) return {0, 0};
  return {length, uint32_t(b[1]) << 16 | uint32_t(b[2]) << 8 | (b[3] & 0xc0u)};
}

Frame loas(const View& b) {
  if (b[0] != 0x56 || (b[1] & 0xe0) != 0xe0) return {0, 0};
  const size_t length = size_t(b[1] & 31) << 8 | b[2];
  return {length == 0 ? 0 : length + 3, 1};
}

Frame mpeg(const View& b) {
  if (b[0] != 0xff || (b[1] & 0xe0) != 0xe0) return {0, 0};
  const unsigned version = (b[1] >> 3) & 3, layer = 4 - ((b[1] >> 1) & 3), code = b[2] >> 4, rate = (b[2] >> 2) & 3;
  if (version == 1 || layer == 4 || code == 0 || code == 15 || rate == 3) return {0, 0};
  static const unsigned first[3][15] = {
      {0, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448},
      {0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384},
      {0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320},
  };
  static const unsigned second[2][15] = {
      {0, 32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256},
      {0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160},
  };
  static const unsigned hertz[] = {44100, 48000, 32000};
  const bool low = version != 3;
  const unsigned hz = hertz[rate] >> (version == 3 ? 0 : version == 2 ? 1 : 2);
  const unsigned bps = 1000 * (low ? second[layer == 1 ? 0 : 1][code] : first[layer - 1][code]);
  const size_t padding = (b[2] >> 1) & 1;
  const size_t length =
      layer == 1 ? (12 * bps / hz + padding) * 4 : (low && layer == 3 ? 72 : 144) * bps / hz + padding;
  return {length, uint32_t(b[1] & 0xfe) << 8 | rate};
}

/** Does a row of `count` frames of one kind begin here? The last must lie inside, with its header at least. */
template <class Parse> bool row_of(Parse parse, View view, unsigned count) {
  uint32_t kind = 0;
  for (unsigned n = 0; n < count; n++) {
    if (view.left < kHeader) return false;
    const Frame frame = parse(view);
    if (frame.length == 0 || (n > 0 && frame.kind != kind)) return false;
    kind = frame.kind;
    if (n + 1 == count) return true;
    if (frame.length > view.left || (view.swapped && frame.length % 2 != 0)) return false;
    view.at += frame.length;
    view.left -= frame.length;
  }
  return false;
}

bool is_sync_word(const uint8_t* b) {
  const uint32_t word = uint32_t(b[0]) << 24 | uint32_t(b[1]) << 16 | uint32_t(b[2]) << 8 | b[3];
  switch (word) {
    // DTS.
    case 0x7ffe8001:
    case 0xfe7f0180:
    case 0x1fffe800:
    case 0xff1f00e8:
    // TrueHD, and the same in words of the other byte order.
    case 0xf8726fba:
    case 0xf8726fbb:
    case 0x72f8ba6f:
    case 0x72f8bb6f:
    // IEC 61937.
    case 0xf8724e1f:
    case 0x72f81f4e:
      return true;
    default:
      return false;
  }
}

/** Which pairs of bytes anything at all begins with: a bit each. In PCM nearly none, so the loop hardly ever leaves it.
 */
struct Pairs {
  uint64_t bits[1024] = {};
  Pairs() {
    for (unsigned pair : {0x0b77u, 0x770bu, 0x7ffeu, 0xfe7fu, 0x1fffu, 0xff1fu, 0xf872u, 0x72f8u}) add(pair);
    for (unsigned low = 0xe0; low < 0x100; low++) {
      add(0x5600 | low);
      add(0xff00 | low);
    }
  }
  void add(unsigned pair) { bits[pair >> 6] |= uint64_t(1) << (pair & 63); }
  bool has(unsigned pair) const { return (bits[pair >> 6] >> (pair & 63) & 1) != 0; }
};

bool begins_coded_sound(const uint8_t* at, size_t left) {
  const View view{at, left, false};
  switch (*at) {
    case 0x0b:
      return row_of(ac3, view, 2);
    case 0x77:
      return row_of(ac3, {at, left, true}, 2);
    case 0x56:
      return row_of(loas, view, 3);
    case 0xff:
      return is_sync_word(at) || row_of(adts, view, 3) || row_of(mpeg, view, 4);
    default:
      return is_sync_word(at);
  }
}

}  // namespace

bool holds_coded_sound(const uint8_t* bytes, size_t length) {
  static const Pairs pairs;
  for (size_t i = 0; i + kHeader <= length; i++)
    if (pairs.has(unsigned(bytes[i]) << 8 | bytes[i + 1]) && begins_coded_sound(bytes + i, length - i)) return true;
  return false;
}

}  // namespace earshot
