import { voiceStepSeconds } from '../../../library/contract/live-voices.ts';

/** When a turn begins and ends. */
export interface TurnSettings {
  /** Probability of a voice at which one begins, 0 to 1. */
  readonly threshold: number;
  /** Sound before it that belongs to the turn. */
  readonly prefixSeconds: number;
  /** A pause that ends the turn. */
  readonly silenceSeconds: number;
}

/** Steps of `voiceStepSeconds`; `toStep` exclusive. */
export type FoundTurn =
  | { readonly kind: 'started'; readonly fromStep: number }
  | { readonly kind: 'stopped'; readonly fromStep: number; readonly toStep: number };

/** A shorter voice is a click. */
const leastVoicedSteps = 3;
/** As Silero's own rule: a voice goes on at a lower probability than it begins. */
const goesOnBelow = 0.15;
/** Of the pause that ended a turn, this belongs to it. */
const tailSeconds = 0.3;
/** Without a pause a turn ends at the faintest moment of its last seconds. */
const searchedSeconds = 5;

const stepsOf = (seconds: number): number => Math.round(seconds / voiceStepSeconds);

/** Finds turns in the probabilities of a voice, as they come. */
export class TurnFinder {
  private readonly settings: TurnSettings;
  private readonly longestSteps: number;
  private now = 0;
  private start: number | null = null;
  private done = 0;
  private lastVoice = 0;
  private voiced = 0;
  /** The last ones of a turn. */
  private recent: number[] = [];

  /** @param longestSeconds of a turn, at least .5 */
  constructor(settings: TurnSettings, longestSeconds: number) {
    this.settings = settings;
    this.longestSteps = stepsOf(longestSeconds);
  }

  /** Sound before this step is not needed any more. */
  get neededFrom(): number {
    return this.start ?? Math.max(this.done, this.now - leastVoicedSteps - stepsOf(this.settings.prefixSeconds));
  }

  push(probability: number): readonly FoundTurn[] {
    const step = this.now;
    this.now += 1;
    return this.start === null ? this.outside(step, probability) : this.inside(step, this.start, probability);
  }

  private outside(step: number, probability: number): readonly FoundTurn[] {
    const { threshold, prefixSeconds } = this.settings;
    this.voiced = probability >= threshold ? this.voiced + 1 : 0;
    if (this.voiced < leastVoicedSteps) return [];
    const fromStep = Math.max(this.done, step + 1 - this.voiced - stepsOf(prefixSeconds));
    [this.start, this.lastVoice, this.recent] = [fromStep, step, []];
    return [{ kind: 'started', fromStep }];
  }

  private inside(step: number, fromStep: number, probability: number): readonly FoundTurn[] {
    const { threshold, silenceSeconds } = this.settings;
    if (probability >= threshold - goesOnBelow) this.lastVoice = step;
    this.recent.push(probability);
    const searched = Math.min(stepsOf(searchedSeconds), Math.floor(this.longestSteps / 2));
    if (this.recent.length > searched) this.recent.shift();
    const pause = step - this.lastVoice;
    if (pause >= Math.max(1, stepsOf(silenceSeconds)))
      return [this.stop(fromStep, Math.min(this.now, this.lastVoice + 1 + stepsOf(tailSeconds)))];
    if (this.now - fromStep < this.longestSteps) return [];
    const toStep = this.now - this.recent.length + this.recent.indexOf(Math.min(...this.recent));
    const stopped = this.stop(fromStep, toStep);
    this.start = toStep;
    return [stopped, { kind: 'started', fromStep: toStep }];
  }

  private stop(fromStep: number, toStep: number): FoundTurn {
    this.reset(toStep);
    return { kind: 'stopped', fromStep, toStep };
  }

  /** Begins anew: what was heard before a step is done with. */
  reset(done = this.now): void {
    [this.start, this.done, this.voiced, this.recent] = [null, done, 0, []];
  }
}
