/**
 * Long-term average speech spectrum, men and women together: Byrne, Dillon, Tran et al., "An international comparison
 * of long-term average speech spectra", JASA 96 (1994), Table II. Third-octave bands, dB at 70 dB overall; languages
 * and voices are within about 5 dB of it from 100 Hz on.
 */
export const averageSpeechSpectrum: readonly (readonly [centreHz: number, levelDb: number])[] = [
  [100, 54.4],
  [125, 57.7],
  [160, 56.8],
  [200, 60.2],
  [250, 60.3],
  [315, 59.0],
  [400, 62.1],
  [500, 62.1],
  [630, 60.5],
  [800, 56.8],
  [1000, 53.7],
  [1250, 53.0],
  [1600, 52.0],
  [2000, 48.7],
  [2500, 48.1],
  [3150, 46.8],
  [4000, 45.6],
  [5000, 44.5],
  [6300, 44.3],
  [8000, 43.7],
  [10_000, 43.4],
  [12_500, 41.3],
  [16_000, 40.7],
];

/** Edges of a third-octave band. */
export const thirdOctave = (centreHz: number): readonly [number, number] => [
  centreHz * 2 ** (-1 / 6),
  centreHz * 2 ** (1 / 6),
];
