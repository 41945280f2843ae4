import type { ToolFacts } from '../../../library/contract/tool-facts.ts';

/** A tool's free uses. */
export interface FreeAllowance {
  /** Seconds of a file that a free run processes; null means the whole file. */
  readonly seconds: number | null;
  /** Uses per person and UTC day. */
  readonly dailyUses: number;
}

/** Which length is billed: the first input's, the sum, or the longest. */
export type Billing = 'main' | 'sum' | 'longest';

/** What a tool costs, and what of it is free. */
export interface Offer {
  /** Default price; the operator's configuration takes precedence. */
  readonly creditsPerMinute: number;
  /** Credits per minute when this optional input is given. */
  readonly creditsPerMinuteWith?: Readonly<Record<string, number>>;
  readonly billing: Billing;
  /** Never paid: every run is free and counts against the daily uses. */
  readonly alwaysFree: boolean;
  /** The two published variants of the free tier. */
  readonly free: { readonly a: FreeAllowance; readonly b: FreeAllowance };
}

/** What the rules about files and money need to know of a tool. */
export interface OfferedFacts extends ToolFacts, Offer {}
