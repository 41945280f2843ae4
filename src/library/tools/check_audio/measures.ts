// What a policy can ask of a recording: a name, a unit, where its value comes from, and what changes it.
import { roundedDb } from '../../core/levels.ts';
import type { RecordingMeasures } from '../../edit/measure-recording.ts';
import type { MediaFacts } from '../../media/facts.ts';
import type { CaptionFacts } from './captions.ts';
import type { DialogueFacts } from './dialogue.ts';
import type { Mend, Place } from './result.ts';
import type { MeasureName } from './options.ts';

/** All that was measured. */
export interface Measured {
  readonly facts: MediaFacts;
  readonly sound: RecordingMeasures;
  /** null: no rule asks for it. */
  readonly dialogue: DialogueFacts | null;
  /** null: no captions were given. */
  readonly captions: CaptionFacts | null;
}

/** What a rule wants, as far as it has a value that a tool could aim at. */
export interface Wanted {
  readonly min: number | null;
  readonly max: number | null;
  readonly oneOf: readonly string[] | null;
}

interface Measure {
  /** For people. */
  readonly title: string;
  /** '' for counts and names. */
  readonly unit: 'LUFS' | 'LU' | 'dBTP' | 'dBFS' | 's' | 'Hz' | 'bit/s' | 'bits' | '%' | 'cells' | 'cells/s' | '';
  /** null: the recording has none. */
  of(measured: Measured): number | string | readonly string[] | null;
  /** The tool that mends it; left out: none does. */
  mend?(wanted: Wanted): Mend | null;
  /** Where it fails. */
  where?(measured: Measured, fails: (value: number) => boolean): readonly Place[];
}

/** Between the two limits; 1 away from the one that there is. */
const between = ({ min, max }: Wanted): number | null =>
  min !== null && max !== null ? (min + max) / 2 : min !== null ? min + 1 : max === null ? null : max - 1;

const loudness = (wanted: Wanted): Mend | null => {
  const lufs = between(wanted);
  return lufs === null || lufs < -36 || lufs > -5
    ? null
    : { tool: 'adjust_loudness', options: { target: 'custom', custom_lufs: lufs } };
};
/** Every target limits true peaks to -1 dBTP, and audiobook to lower ones. */
const peaks = ({ max }: Wanted): Mend | null =>
  max === null
    ? null
    : { tool: 'adjust_loudness', options: { target: max >= -1 ? 'podcast' : max >= -3 ? 'audiobook' : 'broadcast' } };
const audiobook = (): Mend => ({ tool: 'adjust_loudness', options: { target: 'audiobook' } });
const convert = (options: Mend['options']): Mend => ({ tool: 'convert_audio', options });
const formats = ['mp3', 'wav', 'm4a', 'flac', 'ogg', 'opus'];
const codecs: Readonly<Record<string, string>> = { aac: 'm4a', vorbis: 'ogg' };

const edge = ({ silences: { stretches }, durationSeconds }: RecordingMeasures, atEnd: boolean): Place | undefined => {
  const last = stretches.at(-1);
  if (atEnd) return last !== undefined && last.endSeconds >= durationSeconds - 0.05 ? last : undefined;
  return stretches[0]?.startSeconds === 0 ? stretches[0] : undefined;
};
const seconds = (place: Place | undefined): number =>
  place === undefined ? 0 : Number((place.endSeconds - place.startSeconds).toFixed(2));

const ofCaptions = (
  title: string,
  unit: Measure['unit'],
  of: (facts: CaptionFacts) => number | null,
  each?: (facts: CaptionFacts) => readonly (Place & { readonly value: number })[],
): Measure => ({
  title,
  unit,
  of: ({ captions }) => (captions === null ? null : of(captions)),
  ...(each === undefined
    ? {}
    : {
        where: ({ captions }, fails) =>
          captions === null
            ? []
            : each(captions)
                .filter(({ value }) => fails(value))
                .map(({ startSeconds, endSeconds }) => ({ startSeconds, endSeconds })),
      }),
});

const measures: Readonly<Record<MeasureName, Measure>> = {
  integratedLufs: {
    title: 'Integrated loudness',
    unit: 'LUFS',
    of: (m) => m.sound.loudness.integratedLufs,
    mend: loudness,
  },
  dialogueLufs: {
    title: 'Loudness of the dialogue',
    unit: 'LUFS',
    of: (m) => m.dialogue?.dialogueLufs ?? null,
    mend: loudness,
  },
  dialoguePercent: { title: 'Share of dialogue', unit: '%', of: (m) => m.dialogue?.dialoguePercent ?? null },
  loudnessRangeLu: { title: 'Loudness range', unit: 'LU', of: (m) => m.sound.loudness.loudnessRangeLu },
  maxMomentaryLufs: { title: 'Loudest 0.4 s', unit: 'LUFS', of: (m) => m.sound.loudness.maxMomentaryLufs },
  maxShortTermLufs: { title: 'Loudest 3 s', unit: 'LUFS', of: (m) => m.sound.loudness.maxShortTermLufs },
  truePeakDbtp: { title: 'True peak', unit: 'dBTP', of: (m) => m.sound.loudness.truePeakDbtp, mend: peaks },
  samplePeakDbfs: {
    title: 'Sample peak',
    unit: 'dBFS',
    of: (m) => m.sound.levels.samplePeakDbfs,
    mend: peaks,
  },
  rmsDbfs: { title: 'RMS', unit: 'dBFS', of: (m) => roundedDb(m.sound.levels.rmsDbfs), mend: audiobook },
  noiseFloorDbfs: {
    title: 'Noise floor',
    unit: 'dBFS',
    // Digital silence has no noise.
    of: (m) => m.sound.levels.noiseFloorDbfs,
    mend: () => ({ tool: 'remove_noise', options: {} }),
  },
  clippedSamples: {
    title: 'Clipped samples',
    unit: '',
    of: (m) => m.sound.levels.perChannel.reduce((sum, channel) => sum + channel.clippedSamples, 0),
    mend: () => ({ tool: 'enhance_voice', options: {} }),
  },
  stereoCorrelation: {
    title: 'Stereo correlation',
    unit: '',
    // One channel cannot cancel.
    of: (m) => m.sound.levels.stereoCorrelation ?? 1,
    mend: () => convert({ fix_phase: true }),
  },
  durationSeconds: { title: 'Length', unit: 's', of: (m) => m.sound.durationSeconds },
  leadingSilenceSeconds: {
    title: 'Silence at the beginning',
    unit: 's',
    of: (m) => seconds(edge(m.sound, false)),
  },
  trailingSilenceSeconds: { title: 'Silence at the end', unit: 's', of: (m) => seconds(edge(m.sound, true)) },
  longestSilenceSeconds: {
    title: 'Longest silence',
    unit: 's',
    of: (m) => m.sound.silences.stretches.reduce((longest, each) => Math.max(longest, seconds(each)), 0),
    mend: () => ({ tool: 'remove_silence', options: {} }),
    where: (m, fails) => m.sound.silences.stretches.filter((each) => fails(seconds(each))),
  },
  sampleRate: {
    title: 'Sample rate',
    unit: 'Hz',
    of: (m) => m.facts.audio?.sampleRate ?? null,
    mend: ({ oneOf, min }) => convert({ sample_rate: Number(oneOf?.[0] ?? min ?? 48_000) }),
  },
  channels: {
    title: 'Channels',
    unit: '',
    of: (m) => m.facts.audio?.channels ?? null,
    mend: ({ oneOf, max }) => convert({ channels: (oneOf?.includes('2') ?? (max ?? 2) >= 2) ? 'stereo' : 'mono' }),
  },
  bitsPerSample: { title: 'Bits a sample', unit: 'bits', of: (m) => m.facts.audio?.bitsPerSample ?? null },
  bitRateBps: {
    title: 'Bit rate',
    unit: 'bit/s',
    of: (m) => m.facts.audio?.bitRateBps ?? m.facts.bitRateBps,
    mend: ({ min, max }) => convert({ bitrate_kbps: Math.ceil((min ?? max ?? 192_000) / 1000) }),
  },
  format: {
    title: 'Format',
    unit: '',
    of: (m) => m.facts.format,
    mend: ({ oneOf }) => {
      const format = oneOf?.find((each) => formats.includes(each));
      return format === undefined ? null : convert({ format });
    },
  },
  codec: {
    title: 'Codec',
    unit: '',
    of: (m) => m.facts.audio?.codec ?? null,
    mend: ({ oneOf }) => {
      const format = oneOf?.map((each) => codecs[each] ?? each).find((each) => formats.includes(each));
      return format === undefined ? null : convert({ format });
    },
  },
  tags: { title: 'Tags', unit: '', of: (m) => Object.keys(m.facts.tags) },
  captionLines: ofCaptions(
    'Lines of a caption',
    '',
    (c) => c.mostLines,
    (c) => c.lines,
  ),
  captionLineCells: ofCaptions(
    'Longest line of a caption',
    'cells',
    (c) => c.mostCells,
    (c) => c.cells,
  ),
  captionCellsPerSecond: ofCaptions(
    'Fastest caption',
    'cells/s',
    (c) => c.mostCellsPerSecond,
    (c) => c.pace,
  ),
  captionShortestSeconds: ofCaptions(
    'Shortest caption',
    's',
    (c) => c.shortestSeconds,
    (c) => c.durations,
  ),
  captionLongestSeconds: ofCaptions(
    'Longest caption',
    's',
    (c) => c.longestSeconds,
    (c) => c.durations,
  ),
  captionGapSeconds: ofCaptions(
    'Shortest gap of captions',
    's',
    (c) => c.shortestGapSeconds ?? Number.POSITIVE_INFINITY,
    (c) => c.gaps,
  ),
  captionOverlaps: ofCaptions(
    'Captions over each other',
    '',
    (c) => c.overlaps.length,
    (c) => c.overlaps,
  ),
  captionsAfterEndSeconds: ofCaptions('Captions behind the end', 's', (c) => c.afterEndSeconds),
};

export const measureOf = (name: MeasureName): Measure => measures[name];
