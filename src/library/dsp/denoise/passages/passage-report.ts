import type { Warning } from '../../../core/progress/progress.ts';
import { createCensus, type WhoIsHeard } from '../../listener/who-is-heard.ts';
import type { Heard } from '../../listener/listener.ts';
import { createStruckSeconds } from './struck-seconds.ts';
import type { Passage } from './watchful.ts';

/** Collects passages from each group of channels and reports them at the end of the recording. */
export interface PassageReport {
  add(passage: Passage): void;
  /** Of the recording, a second at a time. @param powers of its hops */
  hear(heard: Heard, powers: Float32Array): void;
  /** Who is in the recording; null without a listener. */
  whoIsHeard(): WhoIsHeard | null;
  /** No one speaks, and what sounds is struck: without it nothing would be left. */
  isAllStruck(): boolean;
  /** Seconds of music without a voice in every group, ascending. */
  musicSeconds(): readonly number[];
  warnings(): readonly Warning[];
}

/** Shorter music is not reported. */
const leastMusicSeconds = 2;
const leastVoiceSeconds = 1;
/** Most passages listed. */
const mostNamed = 5;
/** Sounds closer than this are one passage. */
const gapSeconds = 5;

interface Stretch {
  start: number;
  end: number;
}

/** Joins neighbouring passages; those of two groups may come in any order. */
function joined(stretches: readonly Stretch[], gap: number): Stretch[] {
  const out: Stretch[] = [];
  for (const { start, end } of stretches.toSorted((a, b) => a.start - b.start)) {
    const last = out.at(-1);
    if (last && start <= last.end + gap) last.end = Math.max(last.end, end);
    else out.push({ start, end });
  }
  return out;
}

const clock = (seconds: number): string =>
  `${Math.floor(seconds / 60)}:${Math.floor(seconds % 60)
    .toString()
    .padStart(2, '0')}`;

function named(stretches: readonly Stretch[]): string {
  const list = stretches
    .slice(0, mostNamed)
    .map(({ start, end }) => `${clock(start)}-${clock(Math.ceil(end))}`)
    .join(', ');
  const more = stretches.length - mostNamed;
  return more > 0 ? `${list} and ${more} more` : list;
}

const length = (stretches: readonly Stretch[]): number =>
  stretches.reduce((sum, { start, end }) => sum + end - start, 0);

/** @param groups of channels that are cleaned */
export function createPassageReport(groups: number): PassageReport {
  const music = new Map<number, { heardBy: number; end: number }>();
  const voices = { quiet_voice: [] as Stretch[], far_voice: [] as Stretch[], doubtful_voice: [] as Stretch[] };
  const census = createCensus();
  const strikes = createStruckSeconds();
  const inAll = (): Stretch[] =>
    [...music].filter(([, { heardBy }]) => heardBy >= groups).map(([start, { end }]) => ({ start, end }));
  const about = (which: keyof typeof voices, said: string): Warning[] => {
    const stretches = joined(voices[which], 0);
    const seconds = length(stretches);
    if (seconds < leastVoiceSeconds) return [];
    return [
      {
        code: `${which}_kept` as const,
        message: `${said}: ${seconds.toFixed(0)} s, ${named(joined(stretches, gapSeconds))}`,
      },
    ];
  };
  return {
    add({ reason, startSeconds, endSeconds }) {
      if (reason === 'music') {
        const heardBy = (music.get(startSeconds)?.heardBy ?? 0) + 1;
        music.set(startSeconds, { heardBy, end: endSeconds });
        return;
      }
      const list = voices[reason];
      list.push({ start: startSeconds, end: endSeconds });
      // Limits memory for hours of whispers.
      if (list.length > 2000) voices[reason] = joined(list, 1);
    },
    hear(heard, powers) {
      census.add(heard);
      strikes.add(heard, powers);
    },
    whoIsHeard: census.result,
    isAllStruck: () => ['music', 'other'].includes(census.result() ?? '') && strikes.areAll(),
    musicSeconds: () =>
      inAll()
        .map(({ start }) => start)
        .toSorted((a, b) => a - b),
    warnings() {
      const stretches = joined(
        [...music].map(([start, { end }]) => ({ start, end })),
        0,
      );
      const seconds = length(stretches);
      return [
        ...(seconds >= leastMusicSeconds
          ? [
              {
                code: 'music_kept' as const,
                message: `Music without a voice was left unchanged: ${seconds.toFixed(0)} s, ${named(stretches)}`,
              },
            ]
          : []),
        ...about(
          'quiet_voice',
          'Whispers, creaks, laughter or overlapping voices that the noise suppressor takes for noise were cleaned ' +
            'by RNNoise instead',
        ),
        ...about('far_voice', 'Voices that would have been removed with the noise were left unchanged'),
        ...about('doubtful_voice', 'Sounds that may be distant or simultaneous voices were only attenuated'),
      ];
    },
  };
}
