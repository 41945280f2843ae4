/**
 * Call before each step that changes something: a leader that hung and woke up must not go on beside its successor.
 * @throws LeadLost if another worker leads by now
 */
export type StillLeads = () => Promise<void>;

/** Which worker does the housekeeping of the fleet. */
export interface Leadership {
  /** Takes the lead if no living worker has it. null: another worker leads */
  lead(): Promise<StillLeads | null>;
  /** Notes that a round has ended well: its age is a metric. */
  noteRound(name: string): Promise<void>;
}

/** This process led when its round began, and hung or was cut off until another one took over. */
export class LeadLost extends Error {
  constructor() {
    super('Another worker does the housekeeping by now; the rest of this round is left to it');
    this.name = 'LeadLost';
  }
}

/** For one process alone. */
export const leadsAlone: Leadership = {
  lead: () => Promise.resolve(() => Promise.resolve()),
  noteRound: () => Promise.resolve(),
};
