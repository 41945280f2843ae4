import type { JsonObject, JsonValue } from '../../library/core/json.ts';
import { formatClock } from '../../library/core/readable.ts';

const text = (value: JsonValue | undefined): string => (typeof value === 'string' ? value : '');

/** Finished sentences, one per line, with time and speaker. */
export function describePart({ sentences }: JsonObject): string {
  return ((sentences ?? []) as JsonObject[])
    .map(({ startSeconds, speaker, text: said }) => {
      const who = typeof speaker === 'number' ? `Speaker ${speaker}: ` : '';
      return `[${formatClock(Number(startSeconds))}] ${who}${text(said)}`;
    })
    .join('\n');
}
