// In place of media/read/probe.ts: WAV by its own header, all else as a decoder of the browser has looked at it before
// the run.
import { statSync } from 'node:fs';
import { EarshotError } from '../../../../../library/core/errors/errors.ts';
import type { MediaFacts } from '../../../../../library/media/facts.ts';
import { lookedAt } from '../../../../media/looked-at.ts';
import { waveFacts } from '../../../../media/wave-facts.ts';

export { chaptersOf, noSound, soundFormat } from '../../../../../library/media/read/probe.ts';

export function probe(path: string): MediaFacts {
  const known = lookedAt(path);
  if (known) return known.facts;
  const facts = waveFacts(path);
  if (facts) return facts;
  throw statSync(path).size === 0
    ? new EarshotError('file_invalid', 'The file is empty')
    : new EarshotError('unsupported_format', 'The file is of no format that is read here');
}

export function factsWhenWritten(path: string): () => MediaFacts {
  let facts: MediaFacts | null = null;
  return () => (facts ??= probe(path));
}
