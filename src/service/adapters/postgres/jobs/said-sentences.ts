import { type Kysely, sql } from 'kysely';
import type { SaidSentence, SaidSentences } from '../../../rules/jobs/said-sentences.ts';
import type { Listener } from '../database/listener.ts';
import type { Tables } from '../database/schema.ts';

const channel = 'earshot_said';
/** PostgreSQL takes payloads under 8000 bytes. */
const mostBytes = 7800;

type Payload = readonly [jobId: string, number: number, sentence: SaidSentence];

/** Sentences as notifications, which the database keeps nowhere. */
export function createSaidSentences(db: Kysely<Tables>, listener: Listener): SaidSentences {
  const hearing = new Map<string, Set<(number: number, sentence: SaidSentence) => void>>();
  let isListening = false;

  const listen = (): void => {
    if (isListening) return;
    isListening = true;
    listener.listen(channel, (payload) => {
      const [jobId, number, sentence] = JSON.parse(payload) as Payload;
      for (const hear of hearing.get(jobId) ?? []) hear(number, sentence);
    });
  };

  return {
    say(jobId, from, sentences) {
      const payloads = sentences
        .map((sentence, index): Payload => [jobId, from + index, sentence])
        .map((payload) => JSON.stringify(payload))
        .filter((payload) => Buffer.byteLength(payload) <= mostBytes);
      if (payloads.length > 0)
        void sql`select pg_notify(${channel}, said) from unnest(${payloads}::text[]) with ordinality as told (said, n)
          order by n`
          .execute(db)
          .catch(() => undefined);
    },
    hear(jobId, hear) {
      listen();
      const own = hearing.get(jobId) ?? new Set();
      hearing.set(jobId, own);
      own.add(hear);
      return () => {
        own.delete(hear);
        if (own.size === 0 && hearing.get(jobId) === own) hearing.delete(jobId);
      };
    },
  };
}
