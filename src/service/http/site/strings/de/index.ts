import type { Strings } from '../en/index.ts';
import { front, groups } from './front.ts';
import { frame, problem, units } from './frame.ts';

/** German. */
export const de: Strings = { frame, front, groups, problem, units };
