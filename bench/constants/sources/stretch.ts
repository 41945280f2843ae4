// Constants of src/library/dsp/stretch, as those of dsp.ts.
const paces =
  'measured: spectra of five sounds (voices, a chord) at .7, 1.25 and 1.75 times the pace against those ' +
  'of the sound itself (bench/stretch/main.ts), with ffmpeg beside it';

export const stretch: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'dsp/stretch/change-pace.ts': {
    frameSeconds: paces,
    searchSeconds: paces,
    coarse: 'bound of work: the last search is over every sample',
    besideCost: paces,
  },
};
