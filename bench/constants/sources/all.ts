import { alignment } from './alignment.ts';
import { dsp } from './dsp.ts';
import { speech } from './speech.ts';

export const sources: Readonly<Record<string, Readonly<Record<string, string>>>> = { ...dsp, ...speech, ...alignment };
