import { parentPort, workerData } from 'node:worker_threads';
import { material, runAll, type Format } from './battery.ts';

const { format, seed, rounds } = workerData as { format: Format; seed: number; rounds: number };
const planes = material(format, 1.3, seed);
let result = runAll(format, planes);
for (let i = 1; i < rounds; i++) result = runAll(format, planes);
parentPort!.postMessage(result);
