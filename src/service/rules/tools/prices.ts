import type { ToolId } from '../../../library/contract/tool-ids.ts';
import type { Billing } from './offer.ts';
import { forEachTool, type FactsByTool } from './tool-facts.ts';

/** Prices of jobs, computed in whole numbers only. */
export interface Prices {
  /** @param given names of the inputs that the job has; some change the price (transcript_file_id) */
  creditsPerMinute(tool: ToolId, given?: readonly string[]): number;
  /**
   * The price of one run of the tool on these files, for quotes and jobs.
   * @param durationsSeconds of its media files, in the order of the fields
   * @param billedSeconds of the same recording, billed before; default: 0
   */
  ofRun(tool: ToolId, durationsSeconds: readonly number[], given?: readonly string[], billedSeconds?: number): RunPrice;
  /** By tool, for one file of that length. */
  forLength(durationSeconds: number): Readonly<Record<ToolId, number>>;
}

/** The price of a run and its basis. */
export interface RunPrice {
  /** The billed length, not rounded. */
  readonly lengthSeconds: number;
  /** The billed length in whole seconds. */
  readonly billedSeconds: number;
  /** 0 for a tool that is always free. */
  readonly creditsPerMinute: number;
  readonly credits: number;
}

/** Most lengths in the cache of prices. */
const mostLengths = 2000;

/** @param configured the operator's credits per minute; a tool that is not named keeps its default */
export function createPrices(tools: FactsByTool, configured: Readonly<Partial<Record<ToolId, number>>>): Prices {
  const creditsPerMinute = (id: ToolId, given: readonly string[] = []): number => {
    const tool = tools[id];
    if (tool.alwaysFree) return 0;
    const usual = configured[id] ?? tool.creditsPerMinute;
    const special = Object.entries(tool.creditsPerMinuteWith ?? {}).find(([input]) => given.includes(input));
    return special === undefined ? usual : inProportion(special[1], usual, tool.creditsPerMinute);
  };
  const ofRun: Prices['ofRun'] = (id, durationsSeconds, given = [], before = 0) => {
    const lengthSeconds = billedLength(tools[id].billing, durationsSeconds);
    const billedSeconds = roundSeconds(lengthSeconds);
    const rate = creditsPerMinute(id, given);
    const credits =
      before === 0
        ? priceOf(billedSeconds, rate)
        : priceOf(roundSeconds(before + lengthSeconds), rate) - priceOf(roundSeconds(before), rate);
    return { lengthSeconds, billedSeconds, creditsPerMinute: rate, credits };
  };
  const usual = forEachTool((id) => creditsPerMinute(id));
  // Cached: every file of a list shows its prices.
  const known = new Map<number, Readonly<Record<ToolId, number>>>();
  const forLength = (durationSeconds: number): Readonly<Record<ToolId, number>> => {
    const seconds = roundSeconds(durationSeconds);
    const earlier = known.get(seconds);
    if (earlier !== undefined) return earlier;
    if (known.size >= mostLengths) known.clear();
    const fresh = Object.freeze(forEachTool((id) => priceOf(seconds, usual[id])));
    known.set(seconds, fresh);
    return fresh;
  };
  return { creditsPerMinute, ofRun, forLength };
}

/** Special prices follow the operator's: half of the default stays half of what was configured. */
function inProportion(special: number, usual: number, standard: number): number {
  return standard === 0 ? special : divideUp(special * usual, standard);
}

/** ceil(billed seconds x credits per minute / 60), at least 1; a tool that costs nothing per minute costs nothing. */
export function priceOf(billedSeconds: number, creditsPerMinute: number): number {
  return creditsPerMinute === 0 ? 0 : Math.max(1, divideUp(billedSeconds * creditsPerMinute, 60));
}

/** The seconds of the inputs' lengths that are billed, not rounded. The main input is the first. */
export function billedLength(billing: Billing, durationsSeconds: readonly number[]): number {
  if (billing === 'sum') return durationsSeconds.reduce((sum, seconds) => sum + seconds, 0);
  return billing === 'longest' ? Math.max(0, ...durationsSeconds) : (durationsSeconds[0] ?? 0);
}

/** Billed seconds are whole: the nearest, halves up. */
export const roundSeconds = (seconds: number): number => Math.round(seconds);

/** Exact for whole numbers up to 2^53, where ceil(a / b) need not be. */
function divideUp(dividend: number, divisor: number): number {
  const remainder = dividend % divisor;
  return (dividend - remainder) / divisor + (remainder > 0 ? 1 : 0);
}
