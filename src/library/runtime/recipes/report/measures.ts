import { clockLabel } from '../../../waveform/ticks.ts';
import { section, table } from './page.ts';
import type { Part } from '../../../core/markup.ts';
import type { ReportedSound } from './sound.ts';

interface Measure {
  readonly title: string;
  readonly unit: string;
  readonly digits: number;
  /** null: none, as the loudness of silence. */
  of(sound: ReportedSound): number | null;
}

const measures: readonly Measure[] = [
  { title: 'Integrated loudness', unit: 'LUFS', digits: 1, of: ({ loudness }) => loudness.integratedLufs },
  { title: 'Loudness range', unit: 'LU', digits: 1, of: ({ loudness }) => loudness.loudnessRangeLu },
  { title: 'Loudest 3 s', unit: 'LUFS', digits: 1, of: ({ loudness }) => loudness.maxShortTermLufs },
  { title: 'True peak', unit: 'dBTP', digits: 1, of: ({ loudness }) => loudness.truePeakDbtp },
  { title: 'RMS', unit: 'dBFS', digits: 1, of: ({ levels }) => levels.rmsDbfs },
  { title: 'Noise floor', unit: 'dBFS', digits: 1, of: ({ levels }) => levels.noiseFloorDbfs },
  {
    title: 'Clipped samples',
    unit: '',
    digits: 0,
    of: ({ levels }) => levels.perChannel.reduce((sum, { clippedSamples }) => sum + clippedSamples, 0),
  },
];

const shown = (value: number | null, unit: string, digits: number): string =>
  value === null || !Number.isFinite(value) ? 'none' : `${(value + 0).toFixed(digits)} ${unit}`.trim();

const signed = (value: number, unit: string, digits: number): string => {
  const text = value.toFixed(digits);
  return `${Number(text) > 0 ? '+' : ''}${Number(text) === 0 ? (0).toFixed(digits) : text} ${unit}`.trim();
};

/** A change of a level is in dB or LU. */
const unitOfChange = (unit: string): string => (unit === 'LUFS' ? 'LU' : unit.startsWith('dB') ? 'dB' : unit);

/** "flac, 48 kHz, stereo". */
export const soundOf = ({ facts: { audio }, outline }: ReportedSound): string =>
  [audio?.codec, `${outline.sampleRate / 1000} kHz`, audio?.layout].filter((part) => part !== undefined).join(', ');

/** Loudness, peaks, noise and length of recordings side by side; of two also the difference. */
export function measuresTable(sounds: readonly ReportedSound[]): Part {
  const [before, after] = sounds;
  if (before === undefined) return '';
  const isPair = sounds.length === 2 && after !== undefined;
  const numbers = measures.map(({ title, unit, digits, of }) => {
    const values = sounds.map(of);
    const [was = null, becomes = null] = values;
    const isKnown = was !== null && becomes !== null && Number.isFinite(was) && Number.isFinite(becomes);
    const change = isKnown ? signed(becomes - was, unitOfChange(unit), digits) : '';
    return [title, ...values.map((value) => shown(value, unit, digits)), ...(isPair ? [change] : [])];
  });
  const facts = [
    [
      'Length',
      ...sounds.map(({ seconds }) => clockLabel(seconds, 0.01, seconds)),
      ...(isPair ? [signed(after.seconds - before.seconds, 's', 2)] : []),
    ],
  ];
  const columns = sounds.map((_, index) => index + 1);
  const head = isPair ? ['', 'Before', 'After', 'Change'] : ['', ...sounds.map(({ name }) => name)];
  return section('Measures', table(head, [...numbers, ...facts], [...columns, ...(isPair ? [3] : [])]));
}
