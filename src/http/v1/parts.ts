import type { FastifyReply } from 'fastify';
import { isAbortError } from '../../core/abort.ts';
import type { Config } from '../../service/config.ts';
import type { Service } from '../../service/service.ts';
import type { AnyTool } from '../../tools/declare/define.ts';
import { clientSignal } from '../server/context.ts';

/** What every group of routes is made from. */
export interface RouteParts {
  readonly service: Service;
  readonly config: Config;
  readonly tools: readonly AnyTool[];
  /** Fires when the service begins to stop: whoever waits is answered with what there is. */
  readonly closing: AbortSignal;
}

/**
 * Reads something that may be waited for: until it has changed, the wait is over, the client has gone, or the service
 * stops.
 */
export async function readWaiting<Read>(
  reply: FastifyReply,
  closing: AbortSignal,
  waitSeconds: number,
  read: (waitSeconds: number, signal?: AbortSignal) => Promise<Read>,
): Promise<Read> {
  if (waitSeconds === 0 || closing.aborted) return read(0);
  const gone = clientSignal(reply);
  try {
    return await read(waitSeconds, AbortSignal.any([gone, closing]));
  } catch (thrown) {
    if (isAbortError(thrown) && !gone.aborted) return read(0);
    throw thrown;
  }
}
