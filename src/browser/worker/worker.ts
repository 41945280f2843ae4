// The entry of a worker, which does one run.
import { isAbortError } from '../../library/core/abort.ts';
import { EarshotError } from '../../library/core/errors/errors.ts';
import { openStore } from '../files/store.ts';
import { FileTree } from '../files/tree.ts';
import type { FromWorker, ToWorker } from '../messages.ts';
import { runTool } from './run.ts';

/** Of workers, which TypeScript's library for pages does not have. */
declare class FileReaderSync {
  readAsArrayBuffer(blob: Blob): ArrayBuffer;
}

const abort = new AbortController();
const say = (message: FromWorker): void => globalThis.postMessage(message);

async function start(order: Extract<ToWorker, { type: 'start' }>): Promise<void> {
  const store = await openStore(order.store);
  let hasOutputs = false;
  const reader = new FileReaderSync();
  try {
    const run = await runTool(order, new FileTree(store, (blob) => reader.readAsArrayBuffer(blob)), abort.signal, say);
    hasOutputs = run.outputs.length > 0;
    say({ type: 'done', run });
  } catch (thrown) {
    if (abort.signal.aborted || isAbortError(thrown)) say({ type: 'aborted' });
    else say({ type: 'failed', error: EarshotError.from(thrown).toJSON() });
  } finally {
    if (!hasOutputs) await store.close();
  }
}

globalThis.addEventListener('message', ({ data }: MessageEvent<ToWorker>) => {
  if (data.type === 'abort') abort.abort();
  else void start(data);
});
