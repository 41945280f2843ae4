/**
 * The power-complementary window of Vorbis (and of both noise suppressors): its square and the square half a frame on
 * add up to 1.
 */
export const vorbisWindow = (frame: number): Float32Array =>
  Float32Array.from({ length: frame }, (_, i) =>
    Math.sin((Math.PI / 2) * Math.sin((Math.PI * (i + 0.5)) / frame) ** 2),
  );
