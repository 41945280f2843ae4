// What the service says of requests and runs, in the words of the page's language; its own where that has none.
import type { Warning } from '../../../../library/core/progress/progress.ts';
import type { Language } from './languages.ts';

/** An error as it is thrown, or as a record keeps it. */
interface ShownError {
  readonly code: string;
  readonly message: string;
  readonly nextAction?: string;
  readonly details?: Readonly<Record<string, unknown>> | undefined;
}

export function errorText({ errors }: Language['t'], { code, message, nextAction = '', details }: ShownError) {
  const text = errors[`${code}.${String(details?.['reason'])}`] ?? errors[code];
  if (text === undefined) return { message, nextAction };
  // In the operator's own words.
  const why = details?.['blockedFor'];
  return { message: typeof why === 'string' ? `${text} \u201C${why}\u201D` : text, nextAction: '' };
}

/** Several places or tracks of a run may have the same. */
export const warningTexts = ({ warnings }: Language['t'], given: readonly Warning[]): readonly string[] => [
  ...new Set(given.map(({ code, message }) => warnings[code] ?? message)),
];
