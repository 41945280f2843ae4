/**
 * Jobs that somebody pays for go before free ones. When both wait, one start in `freeEvery` is a free one's, so that
 * free jobs wait and do not starve.
 */
export type JobClass = 'paid' | 'free';

const freeEvery = 4;

/** All visitors share the workers as one owner: addresses cost nothing. */
const visitorsShare = 'visitors';

interface ClassedJob {
  /** null: a visitor's. */
  readonly accountId: string | null;
  /** Is it a free use? */
  readonly free: boolean;
}

export const classOf = ({ accountId, free }: ClassedJob): JobClass => (accountId === null || free ? 'free' : 'paid');

/** The owner whose share of the workers the job uses. */
export const shareKeyOf = ({ accountId }: Pick<ClassedJob, 'accountId'>): string => accountId ?? visitorsShare;

/** Which class a worker looks at first, by the number of its earlier starts. */
export const firstClass = (starts: number): JobClass => (starts % freeEvery === freeEvery - 1 ? 'free' : 'paid');

/** The slots of one machine. */
export interface SlotRules {
  readonly slots: number;
  /** Of these, slots that only free jobs take. Default: 0. */
  readonly freeSlots?: number;
  /** Of these, slots that only paid jobs take. Default: 0. */
  readonly paidSlots?: number;
}

/** At least one slot is for all. */
const slotRules = ({ slots, freeSlots = 0, paidSlots = 0 }: SlotRules): Required<SlotRules> => {
  const forFree = Math.min(freeSlots, slots - 1);
  return { slots, freeSlots: forFree, paidSlots: Math.min(paidSlots, slots - 1 - forFree) };
};

/** What a machine may start now. `most` is of that class alone, or of both. */
export interface JobPick {
  readonly most: number;
  /** null: of both classes. */
  readonly only: JobClass | null;
  readonly first: JobClass;
}

/** Picks the next starts of a machine, by what it runs and how many it has started. */
export function nextPick(rules: SlotRules, running: Readonly<Record<JobClass, number>>, starts: number): JobPick {
  const { slots, freeSlots, paidSlots } = slotRules(rules);
  const first = firstClass(starts);
  const all = slots - running.paid - running.free;
  const left = { paid: slots - freeSlots - running.paid, free: slots - paidSlots - running.free };
  if (left.paid <= 0) return { most: Math.min(all, left.free), only: 'free', first };
  if (left.free <= 0) return { most: Math.min(all, left.paid), only: 'paid', first };
  return { most: Math.min(all, left.paid, left.free), only: null, first };
}
