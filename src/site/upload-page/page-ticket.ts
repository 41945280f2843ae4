import type { Ticket } from '../../client/send-parts.ts';

/** The data of the upload page's script, as JSON in the page. */
export interface PageTicket extends Ticket {
  readonly status: string;
  /** null until the file is named. */
  readonly filename: string | null;
  readonly sizeBytes: number | null;
  readonly nameUrl: string;
}

/** The answer when a file gets its name. */
export interface NamedTicket extends Ticket {
  readonly file: { readonly filename: string; readonly sizeBytes: number | null };
}
