// What encoders add before and behind the sound of an MP3, which decoders of browsers leave there.

/** Frames of a Layer III decoder's own delay, and one more of the first overlap. */
const decoderDelay = 529;
/** The tag lies within the first frame, behind its header and side information. */
const searched = 200;

/** @param frame the first frame of the file, at least 400 bytes; @returns frames to drop; none where it does not say */
export function gapOf(frame: Uint8Array): { readonly lead: number; readonly trail: number } {
  const text = (at: number): string => String.fromCharCode(...frame.subarray(at, at + 4));
  for (let at = 0; at < searched; at += 1) {
    if (text(at) !== 'Xing' && text(at) !== 'Info') continue;
    const flags = frame[at + 7] ?? 0;
    const fields = (flags & 1 ? 4 : 0) + (flags & 2 ? 4 : 0) + (flags & 4 ? 100 : 0) + (flags & 8 ? 4 : 0);
    const place = at + 8 + fields + 21;
    const [high = 0, middle = 0, low = 0] = frame.subarray(place, place + 3);
    const delay = (high << 4) | (middle >> 4);
    const padding = ((middle & 15) << 8) | low;
    if (delay === 0 && padding === 0) return { lead: 0, trail: 0 };
    return { lead: delay + decoderDelay, trail: Math.max(0, padding - decoderDelay) };
  }
  return { lead: 0, trail: 0 };
}
