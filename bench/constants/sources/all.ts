import { alignment } from './alignment.ts';
import { dsp } from './dsp.ts';
import { speech } from './speech.ts';
import { sync } from './sync.ts';

export const sources: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  ...dsp,
  ...speech,
  ...alignment,
  ...sync,
};
