import { alignment } from './alignment.ts';
import { dsp } from './dsp.ts';
import { stretch } from './stretch.ts';
import { speech } from './speech.ts';
import { redact } from './redact.ts';
import { sync } from './sync.ts';

export const sources: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  ...dsp,
  ...speech,
  ...alignment,
  ...redact,
  ...sync,
  ...stretch,
};
