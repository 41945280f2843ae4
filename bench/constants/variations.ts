// A constant, a fifth less and a fifth more.
import { isCount, unitOf } from './units.ts';
import type { SourceConstant, Span } from './source-constants.ts';

export interface Edit extends Span {
  readonly becomes: string;
}

export type Side = 'minus' | 'plus';
export const sides: readonly Side[] = ['minus', 'plus'];
const factors: Readonly<Record<Side, number>> = { minus: 0.8, plus: 1.2 };

/** The next whole number that differs, at least. */
function movedCount(count: number, side: Side): number {
  const size = Math.abs(count);
  const moved = Math.round(size * factors[side]);
  const differs = side === 'minus' ? Math.min(moved, size - 1) : Math.max(moved, size + 1);
  return Math.sign(count) * differs;
}

const numberOf = (text: string): number => Number(text.replaceAll('_', ''));

/** What replaces which parts of the source: all numbers of a list or an object move together. */
export function variationOf(constant: SourceConstant, side: Side): Edit[] {
  const whole = isCount(unitOf(constant));
  const factor = factors[side];
  const single = constant.single && (constant.literals.length > 1 || constant.literals[0]?.text !== constant.value);
  if (single) {
    const { initializer } = constant;
    const scaled = `((${initializer.text}) * ${factor})`;
    return [{ ...initializer, becomes: whole ? `Math.round${scaled}` : scaled }];
  }
  return constant.literals.map((literal) => {
    const number = numberOf(literal.text);
    const moved =
      whole && Number.isInteger(number) ? movedCount(number, side) : Number((number * factor).toPrecision(12));
    return { ...literal, becomes: String(moved) };
  });
}
