// A run on 20 s of a recording, beside what they were: an option of tools that change one recording, which the engine
// reads and no tool sees.
import { previewedSeconds } from '../../contract/passage-order.ts';
import type { OptionSchema } from '../../core/checks/schema.ts';
import type { AnyTool } from './define.ts';

/** In every door that takes files by id. */
export const passageOption: OptionSchema = {
  type: 'number',
  minimum: 0,
  maximum: 36_000,
  description:
    `Free, and only of ${previewedSeconds} s from this second on: a file as they were and one as they become, ` +
    'equally loud',
};

/** Tools that listen to all of a recording would do for nothing what they are paid for. */
export const hasPassage = ({ preview }: Pick<AnyTool, 'preview'>): boolean =>
  preview !== null && preview.needsWhole !== true;
