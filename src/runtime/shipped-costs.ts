// What stages cost against each other where nothing was learned yet. Made by `node bench/tools/estimates.ts --write`.
import type { StageCosts } from '../core/run-meter.ts';

export const shippedCosts: Readonly<Record<string, StageCosts>> = {};
