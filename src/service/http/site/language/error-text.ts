import type { Language } from './languages.ts';

/** An error as it is thrown, or as a record keeps it. */
interface ShownError {
  readonly code: string;
  readonly message: string;
  readonly nextAction?: string;
  readonly details?: Readonly<Record<string, unknown>> | undefined;
}

/** An error in the words of the page's language; the service's own where it has none. */
export function errorText({ errors }: Language['t'], { code, message, nextAction = '', details }: ShownError) {
  const text = errors[`${code}.${String(details?.['reason'])}`] ?? errors[code];
  return text === undefined ? { message, nextAction } : { message: text, nextAction: '' };
}
