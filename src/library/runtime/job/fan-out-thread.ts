/** Runs on a fan-out thread: loads the task's module and calls it with one item. */
import { move, transferableSymbol, valueSymbol } from 'piscina';
import { isAbortError } from '../../core/abort.ts';
import { EarshotError } from '../../core/errors/errors.ts';
import type { FanOutTask } from '../../core/machine/fan-out.ts';
import type { PieceOfWork, PieceResult } from './fan-out.ts';

export default async function runPiece({ taskModuleUrl, exportName, item, cancelFlag }: PieceOfWork): Promise<unknown> {
  const flag = new Int32Array(cancelFlag);
  const cancelled = (): boolean => Atomics.load(flag, 0) !== 0;
  const buffers: ArrayBuffer[] = [];
  const task: FanOutTask<unknown> = {
    item,
    cancelled,
    transfer: (...moving) => {
      buffers.push(...moving);
    },
  };
  if (cancelled()) return { ok: false, aborted: true } satisfies PieceResult;
  try {
    const module = (await import(taskModuleUrl)) as Readonly<Record<string, (task: FanOutTask<unknown>) => unknown>>;
    const call = module[exportName];
    if (typeof call !== 'function') throw new TypeError(`${taskModuleUrl} exports no function ${exportName}`);
    const value = await call(task);
    if (cancelled()) return { ok: false, aborted: true } satisfies PieceResult;
    const result: PieceResult = { ok: true, value };
    return buffers.length === 0 ? result : move({ [transferableSymbol]: buffers, [valueSymbol]: result });
  } catch (thrown) {
    if (isAbortError(thrown)) return { ok: false, aborted: true } satisfies PieceResult;
    return { ok: false, aborted: false, error: EarshotError.from(thrown).toJSON() } satisfies PieceResult;
  }
}
