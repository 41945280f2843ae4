/** The power-complementary window of Vorbis and both noise suppressors: its squares half a frame apart add up to 1. */
export const vorbisWindow = (frame: number): Float32Array =>
  Float32Array.from({ length: frame }, (_, i) =>
    Math.sin((Math.PI / 2) * Math.sin((Math.PI * (i + 0.5)) / frame) ** 2),
  );
