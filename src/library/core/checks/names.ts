// Names from outside: fields, options, tools, models. They may be megabytes long.
import { EarshotError } from '../errors/errors.ts';

/** Characters of a name shown in a message; ours have fewer than half as many. */
const longestShown = 100;

/** A name, shortened for messages and their details. */
export function shownName(name: string): string {
  if (name.length <= longestShown) return name;
  // A lone surrogate is not valid text.
  return `${name.slice(0, longestShown - 3).replace(/[\uD800-\uDBFF]$/, '')}...`;
}

/** In characters. Longer input is not a typing error, and comparing megabytes would block other requests. */
const longestTyped = 64;

/** The known name closest to a mistyped one, or undefined when none is close. */
export function closestName(name: string, known: readonly string[]): string | undefined {
  if (name.length > longestTyped) return undefined;
  let best: string | undefined;
  let bestDistance = Infinity;
  for (const candidate of known) {
    const prefix = name.length >= 3 && candidate.startsWith(name.toLowerCase());
    const distance = prefix ? 0 : editDistance(name.toLowerCase(), candidate.toLowerCase());
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  return bestDistance <= Math.max(1, Math.floor(name.length / 3)) ? best : undefined;
}

/** Levenshtein distance, one row at a time. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(change, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}

/**
 * The end of a message about an unknown name: the closest known one, or all of them.
 * @param listed the names listed where none is close; default: all
 */
export function whatWasMeant(name: string, known: readonly string[], listed = known): string {
  const closest = closestName(name, known);
  return closest === undefined ? `expected one of ${listed.join(', ')}` : `did you mean ${closest}?`;
}

/**
 * A bad_request for an unknown name.
 * @param subject what has no such name: a tool, a request
 * @param all lists all known names in the message even when one is close
 */
export function unknownName(
  name: string,
  subject: string,
  known: readonly string[],
  noun = 'option',
  all = false,
): EarshotError {
  const expected = known.length === 0 ? `no ${noun}s` : `one of ${known.join(', ')}`;
  const closest = closestName(name, known);
  const hints = [
    ...(all || closest === undefined
      ? [known.length > 0 || all ? `expected ${expected}` : `${subject} takes no ${noun}s`]
      : []),
    ...(closest === undefined ? [] : [`did you mean ${closest}?`]),
  ];
  const shown = shownName(name);
  return new EarshotError('bad_request', `Unknown ${noun} ${shown} for ${subject}; ${hints.join('; ')}`, {
    details: { field: shown, expected, received: shown },
  });
}
