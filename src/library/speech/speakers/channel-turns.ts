// Who speaks when, where each person has a channel of the recording: two microphones, or the two ends of a call.
import { mostSpeakers } from '../../contract/speaker-bounds.ts';
import { EarshotError } from '../../core/errors/errors.ts';
import type { Warning } from '../../core/progress/progress.ts';
import type { MediaFacts } from '../../media/facts.ts';
import { openAudio } from '../../media/read/decode.ts';
import { drive } from '../../media/read/drive.ts';
import type { SpeakerTurn } from './speaker-turn.ts';

const hopSeconds = 0.02;
/** A channel must be so much louder than all others: microphones hear the other person as well. */
const louderDb = 3;
/** Quieter sound counts as silence. */
const silenceDbfs = -65;
/** Longest break within a turn. */
const breakSeconds = 0.4;
/** With a smaller share of loud hops in which one channel is louder, the channels hold the same sound. */
const leastShare = 0.1;

export interface ChannelTurns {
  readonly turns: readonly SpeakerTurn[];
  readonly warnings: readonly Warning[];
}

/**
 * Gives each moment to the channel that is loudest there. Speakers have the numbers of their channels.
 * @throws EarshotError bad_request for a recording with one channel, or with more than eight; AbortError
 */
export async function channelTurns(
  facts: MediaFacts,
  options: { readonly signal: AbortSignal; onProgress(fraction: number): void },
): Promise<ChannelTurns> {
  const source = openAudio(facts);
  try {
    const { channels, sampleRate } = source.format;
    if (channels < 2 || channels > mostSpeakers)
      throw new EarshotError(
        'bad_request',
        `Expected a recording with a channel for each of 2 to ${mostSpeakers} speakers but it has ` +
          (channels === 1 ? 'one channel' : `${channels} channels`),
        { nextAction: 'Leave speaker_channels out: speakers are then told apart by their voices.' },
      );
    const hop = Math.round(hopSeconds * sampleRate);
    const turns: { speaker: number; startSeconds: number; endSeconds: number }[] = [];
    const last = new Map<number, { speaker: number; startSeconds: number; endSeconds: number }>();
    const sums = new Float64Array(channels);
    let [at, hops, loud, led] = [0, 0, 0, 0];
    const endHop = (): void => {
      const leader = leaderOf(sums, hop);
      sums.fill(0);
      at = 0;
      const startSeconds = hops * hopSeconds;
      hops += 1;
      if (leader === null) return;
      loud += 1;
      if (leader === 0) return;
      led += 1;
      const before = last.get(leader);
      if (before && startSeconds - before.endSeconds <= breakSeconds) before.endSeconds = startSeconds + hopSeconds;
      else {
        const turn = { speaker: leader, startSeconds, endSeconds: startSeconds + hopSeconds };
        turns.push(turn);
        last.set(leader, turn);
      }
    };
    await drive(
      source,
      [],
      ({ planes, frames }) => {
        for (let frame = 0; frame < frames; frame += 1) {
          for (let channel = 0; channel < channels; channel += 1)
            sums[channel] = (sums[channel] as number) + ((planes[channel] as Float32Array)[frame] as number) ** 2;
          at += 1;
          if (at === hop) endHop();
        }
      },
      options,
    );
    const alike = loud > 0 && led < leastShare * loud;
    return {
      turns,
      warnings: alike
        ? [{ code: 'channels_alike', message: 'All channels hold the same sound: they do not tell speakers apart' }]
        : [],
    };
  } finally {
    source.close();
  }
}

/** Number of the channel that is clearly loudest, from 1; 0: none is; null: silence. */
function leaderOf(sums: Float64Array, frames: number): number | null {
  let [best, second, channel] = [0, 0, 0];
  for (const [at, sum] of sums.entries()) {
    if (sum > best) [second, best, channel] = [best, sum, at + 1];
    else second = Math.max(second, sum);
  }
  if (!(10 * Math.log10(best / frames) > silenceDbfs)) return null;
  return best >= second * 10 ** (louderDb / 10) ? channel : 0;
}
