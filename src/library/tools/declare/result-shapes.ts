// Made by scripts/write-result-schemas.ts from the types in result.ts: edit those, then `npm run types:write`.

// What the results of several tools have.
import { either, maybe, none, number, object, text, truth } from './closed-schema.ts';

export const output = object({ integratedLufs: either(number, none), truePeakDbtp: either(number, none) });
export const input = object({ integratedLufs: either(number, none) });
export const recogniser = object({ id: text, title: text });
export const edges = object({ askedSeconds: number, givenSeconds: number });
export const output2 = object({
  integratedLufs: either(number, none),
  loudnessRangeLu: either(number, none),
  truePeakDbtp: either(number, none),
  rmsDbfs: maybe(either(number, none)),
  noiseFloorDbfs: maybe(either(number, none)),
});
const noiseFloor = object({ valueDbfs: either(number, none), maxDbfs: number, passes: truth });
export const acx = object({
  passes: truth,
  rms: object({ valueDbfs: either(number, none), minDbfs: number, maxDbfs: number, passes: truth }),
  peak: noiseFloor,
  noiseFloor,
});
export const output3 = object({
  integratedLufs: either(number, none),
  loudnessRangeLu: either(number, none),
  truePeakDbtp: either(number, none),
});
export const target = { enum: ['podcast', 'streaming', 'broadcast', 'custom'] };
export const tool = { enum: ['adjust_loudness', 'convert_audio', 'enhance_voice', 'remove_noise', 'remove_silence'] };
export const places = object({ startSeconds: number, endSeconds: number });
export const kind = {
  enum: ['word', 'card', 'iban', 'phone', 'email', 'web', 'address', 'number', 'speaker', 'range'],
};
