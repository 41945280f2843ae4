// Runs a network that another thread has opened.
import { parentPort, workerData } from 'node:worker_threads';
import { createSession, type Tensor } from '../../../src/library/models/sessions.ts';

const { sharedAs, feeds } = workerData as { sharedAs: string; feeds: Record<string, Tensor> };
const session = await createSession('doubling', '/nowhere/network.onnx', { sharedAs });
const answers: Float32Array[] = [];
for (let run = 0; run < 200; run += 1) answers.push(((await session.run(feeds, ['y']))['y'] as Tensor).data);
await session.close();
parentPort?.postMessage({ answers });
