// Which speakers of a recording have a voice that is known.
import { directionOf, type KnownVoice, type VoiceDecision } from '../../contract/voice-print.ts';
import { searchFolders } from '../../models/folders.ts';
import type { ListeningOptions } from '../speakers/listening.ts';
import { readSpeakerNetworks } from '../speakers/networks.ts';
import type { SpeakerTurn } from '../speakers/speaker-turn.ts';
import type { SpeechSound } from '../speech-sound.ts';
import { cosine } from './directions.ts';
import { type HeardVoice, heardVoices } from './heard-voices.ts';

/** A voice is known from these likenesses on, cosine: to a print of clear sound, and of a telephone's. */
const threshold = { plain: 0.55, telephone: 0.67 };
/** So much more alike than to the next name. */
const lead = 0.15;
/** A voice with less speech needs more, and is always uncertain. */
const littleSeconds = 3;
const moreWhereLittle = 0.05;
/** Among many names some are alike by chance. */
const many = 50;
const moreWhereMany = 0.05;
/** Two numbers of one name are one person from this likeness to each other on. */
export const sameVoice = 0.6;
/** How steeply confidence rises with the likeness. */
const steepness = 0.06;

interface Candidate {
  readonly decision: VoiceDecision;
  readonly voice: HeardVoice;
  /** How far above the threshold. */
  readonly excess: number;
}

const rounded = (value: number): number => Math.round(value * 1000) / 1000;

function decide(voice: HeardVoice, prints: readonly Directions[]): Candidate {
  const isLittle = voice.seconds < littleSeconds;
  const more = (isLittle ? moreWhereLittle : 0) + (prints.length > many ? moreWhereMany : 0);
  const [best, next] = prints
    .map(({ name, plain, telephone }) => {
      const likeness = cosine(voice.direction, plain);
      const onTelephone = cosine(voice.direction, telephone) - threshold.telephone;
      return { name, likeness, excess: Math.max(likeness - threshold.plain, onTelephone) - more };
    })
    .toSorted((a, b) => b.excess - a.excess);
  const { excess = -1, likeness = null, name = null } = best ?? {};
  const isKnown = excess >= 0 && (next === undefined || excess - next.excess >= lead);
  return {
    voice,
    excess,
    decision: {
      speaker: voice.speaker,
      name: isKnown ? name : null,
      likeness: likeness === null ? null : rounded(likeness),
      runnerUp: next === undefined ? null : rounded(next.likeness),
      confidence: isKnown ? rounded(1 / (1 + Math.exp(-excess / steepness))) : null,
      uncertain: isKnown && isLittle,
    },
  };
}

interface Directions {
  readonly name: string;
  readonly plain: Float32Array;
  readonly telephone: Float32Array;
}

/** Do two speakers ever speak at once? */
function overlap(turns: readonly SpeakerTurn[], a: number, b: number): boolean {
  const own = turns.filter(({ speaker }) => speaker === a);
  return turns.some(
    ({ speaker, startSeconds, endSeconds }) =>
      speaker === b && own.some((turn) => turn.startSeconds < endSeconds && startSeconds < turn.endSeconds),
  );
}

export interface NamedTurns {
  /** Numbers that were one person's are one. */
  readonly turns: SpeakerTurn[];
  /** One for each number of the turns, in the order of the numbers. */
  readonly decisions: VoiceDecision[];
}

/**
 * Gives names to speakers that were told apart before. A name is one speaker's: the most alike; another number of the
 * same name is the same person where the two sound alike and never speak at once, and else stays without a name.
 */
export function nameVoices(
  turns: readonly SpeakerTurn[],
  voices: readonly HeardVoice[],
  known: readonly KnownVoice[],
): NamedTurns {
  const prints = known.map(({ name, print }) => ({
    name,
    plain: directionOf(print.plain),
    telephone: directionOf(print.telephone),
  }));
  const decided = voices.map((voice) => decide(voice, prints)).toSorted((a, b) => b.excess - a.excess);
  const named = new Map<string, Candidate>();
  const sameAs = new Map<number, number>();
  const decisions = new Map<number, VoiceDecision>();
  for (const candidate of decided) {
    const { decision, voice } = candidate;
    const first = decision.name === null ? undefined : named.get(decision.name);
    if (first === undefined) {
      if (decision.name !== null) named.set(decision.name, candidate);
      decisions.set(voice.speaker, decision);
    } else if (
      cosine(first.voice.direction, voice.direction) >= sameVoice &&
      !overlap(turns, first.voice.speaker, voice.speaker)
    )
      sameAs.set(voice.speaker, first.voice.speaker);
    else decisions.set(voice.speaker, { ...decision, name: null, confidence: null, uncertain: false });
  }
  const joined = turns.map((turn) => ({ ...turn, speaker: sameAs.get(turn.speaker) ?? turn.speaker }));
  const unheard = (speaker: number): VoiceDecision => ({
    speaker,
    name: null,
    likeness: null,
    runnerUp: null,
    confidence: null,
    uncertain: false,
  });
  const numbers = [...new Set(joined.map(({ speaker }) => speaker))].toSorted((a, b) => a - b);
  return { turns: joined, decisions: numbers.map((speaker) => decisions.get(speaker) ?? unheard(speaker)) };
}

export interface KnownVoicesOptions extends ListeningOptions {
  /** See `searchFolders`. */
  readonly modelsDir: string | undefined;
  /** Called with the voices whose prints are of another network, where there are any. */
  onOtherModel(voices: readonly KnownVoice[]): void;
}

/** Listens to the speakers of turns and names those whose voices are known. @throws EarshotError, AbortError */
export async function knowVoices(
  sound: SpeechSound,
  turns: readonly SpeakerTurn[],
  known: readonly KnownVoice[],
  options: KnownVoicesOptions,
): Promise<NamedTurns> {
  const networks = await readSpeakerNetworks(searchFolders(options.modelsDir));
  const usable = known.filter(({ print }) => print.model === networks.embeddingKey);
  if (usable.length < known.length)
    options.onOtherModel(known.filter(({ print }) => print.model !== networks.embeddingKey));
  return nameVoices(turns, usable.length === 0 ? [] : await heardVoices(sound, turns, networks, options), usable);
}
