import { createHash } from 'node:crypto';
import { EarshotError } from '../../../library/core/errors/errors.ts';
import type { ToolId } from '../../../library/contract/tool-ids.ts';
import { notDeleted, withoutBytes } from '../files/guards.ts';
import { createIntake } from '../files/intake.ts';
import { requestTooLarge } from '../files/request-size.ts';
import { freeNeverHere, nextUtcMidnight, nothingLeft, usesLeft, utcDay } from '../accounts/free.ts';
import { requireDiskRoom } from '../files/disk-room.ts';
import { newId } from '../shared/ids.ts';
import { requireAvailable } from '../jobs/inputs.ts';
import { canonicalJson } from '../jobs/request-hash.ts';
import { canPay } from '../settings/can-pay.ts';
import { freeOffer } from '../tools/tool-facts.ts';
import type { Admission, BroughtFile, FreeRuns, UsedUp, Visitor } from './free-run-use-cases.ts';
import type { FreeRunsDeps } from './deps.ts';
import type { SentReference } from './free-run-store.ts';

/** "One address can have 3 waiting at once in an hour" */
export const waitingWindowMs = 3_600_000;

/** Admits requests and receives their files. */
export function createAdmission(deps: FreeRunsDeps, drive: (id: string) => Promise<string>): FreeRuns['admit'] {
  const { freeRuns, files, jobs, objects, links, tools, arrivals, config, now } = deps;

  return async (visitor, tool, keepSeconds = Infinity): Promise<Admission> => {
    await requireAvailable(tools[tool]);
    await requireRoom(deps, visitor, tool);
    await requireDiskRoom(objects, config, 0);
    const { account } = visitor;
    const entered = arrivals.enter(visitor.subject, account === null ? config.addressUploads : config.accountUploads);
    const brought: { readonly id: string; readonly objectKey: string | null }[] = [];
    let left = config.freeRequestBytes;
    let started = false;

    const intake = createIntake(
      objects,
      { accountId: account?.id ?? null, visitor: account === null ? visitor.subject : null },
      (file) => files.create(file, null),
      Math.min(keepSeconds, account === null ? config.freeRetentionSeconds : config.retentionSeconds),
      now,
    );

    return {
      async receive(sent): Promise<BroughtFile> {
        const { id, objectKey, sizeBytes, sha256 } = await intake.receive(sent, left).catch((thrown: unknown) => {
          throw thrown instanceof EarshotError && thrown.code === 'file_too_large'
            ? requestTooLarge(config.freeRequestBytes, account !== null)
            : thrown;
        });
        left -= sizeBytes ?? 0;
        brought.push({ id, objectKey });
        return { id, mark: sha256 ?? id };
      },

      async fetch(link): Promise<BroughtFile> {
        const url = links.check(link);
        const request = { bytes: config.freeRequestBytes, earlier: brought.map(({ id }) => id) };
        const { id } = await intake.fetch(url, request);
        brought.push({ id, objectKey: null });
        return { id, mark: url.href };
      },

      async start({ inputs, options, format, free, maxCredits, idempotencyKey, references = [], billedSeconds = 0 }) {
        const by = <Value>(of: (file: BroughtFile) => Value) =>
          Object.fromEntries(Object.entries(inputs).map(([field, list]) => [field, list.map(of)]));
        const asked = { tool, options, format, free: free ?? null, maxCredits };
        const idempotency =
          idempotencyKey === null
            ? null
            : {
                key: idempotencyKey,
                requestHash: createHash('sha256')
                  .update(
                    canonicalJson({
                      interface: 'free',
                      ...asked,
                      inputs: by(({ mark }) => mark),
                      ...(references.length === 0 ? {} : { references: references.map(markOf) }),
                    }),
                  )
                  .digest('hex'),
              };
        const earlier = idempotency === null ? null : await jobs.findByIdempotency(visitor.subject, idempotency);
        if (earlier !== null) return earlier.id;
        const createdAt = now();
        const run = {
          id: newId('job'),
          accountId: account?.id ?? null,
          visitor: visitor.subject,
          tool,
          request: {
            inputs: by((file) => file.id),
            options,
            format,
            free: free ?? null,
            maxCredits,
            idempotency,
            ...(billedSeconds === 0 ? {} : { billedSeconds }),
          },
          createdAt,
          expiresAt: new Date(createdAt.getTime() + config.freeRetentionSeconds * 1000),
        };
        const { id } = await freeRuns.create(run, references);
        started = true;
        void drive(id).catch(() => undefined);
        return id;
      },

      async end() {
        entered.leave();
        if (started) return;
        await dropFiles(deps, brought);
      },
    };
  };
}

const markOf = ({ name, sound }: SentReference): string =>
  `${createHash('sha256').update(sound).digest('hex')} ${name}`;

/**
 * Refuses visitors without a free use whose run could not wait for a payment. Accounts are checked with the price.
 */
async function requireRoom(
  { freeRuns, freeUses, tools, prices, config, now }: FreeRunsDeps,
  visitor: Visitor,
  id: ToolId,
): Promise<void> {
  const tool = tools[id];
  const offer = freeOffer(tool, config);
  if (!offer.enabled && (visitor.account === null || tool.alwaysFree))
    throw freeNeverHere(id, prices.creditsPerMinute(id));
  if (visitor.account !== null) return;
  const at = now();
  const taken = (await freeUses.taken({ id: visitor.subject, day: utcDay(at) }))[id] ?? 0;
  if (usesLeft(offer, taken) > 0) return;
  const what = { tool: id, offer, resetsAt: nextUtcMidnight(at) };
  const refusal = (waiting: number | null): EarshotError & UsedUp =>
    Object.assign(nothingLeft(what, taken, waiting), {
      usedUp: { tool: id, dailyUses: offer.dailyUses, usesLeft: 0, seconds: offer.seconds, resetsAt: what.resetsAt },
    });
  if (tool.alwaysFree || !canPay(config)) throw refusal(null);
  const waiting = await freeRuns.waiting(visitor.subject, new Date(at.getTime() - waitingWindowMs));
  if (waiting < config.freeWaiting) return;
  // The file may be one that waits already: a repeated request gets its link. Only its bytes can tell.
  const waitingRuns = await freeRuns.waitingRuns(visitor.subject, at);
  if (!waitingRuns.some((run) => run.tool === id)) throw refusal(waiting);
}

/** Deletes unneeded files: records first, so that no new reader starts. */
export async function dropFiles(
  { files, objects }: Pick<FreeRunsDeps, 'files' | 'objects'>,
  brought: readonly { readonly id: string; readonly objectKey: string | null }[],
): Promise<void> {
  for (const { id, objectKey } of brought) {
    const gone = await files.update(id, notDeleted, withoutBytes).catch(() => null);
    const key = objectKey ?? gone?.objectKey ?? null;
    // After a failure the sweeper removes it.
    if (key !== null) await objects.remove(key).catch(() => undefined);
  }
}
