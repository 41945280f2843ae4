// Draws how a file is made, by a seed and a number alone.
import { seeded } from '../../fixtures/random.ts';
import { type Form, forms, type Oddity } from './forms.ts';

/** One recording; a chain has several. */
export interface Part {
  readonly rate: number;
  readonly channels: number;
  readonly seconds: number;
  /** What the channels behind the first one hold. */
  readonly second: 'same' | 'soft' | 'opposite' | 'silent';
  /** Level of the marks. */
  readonly level: number;
}

export interface Recipe {
  readonly number: number;
  readonly container: string;
  readonly codec: string;
  readonly hasPicture: boolean;
  readonly way: readonly string[];
  readonly oddities: readonly Oddity[];
  readonly parts: readonly Part[];
  /** Sound after picture; alone: after the file's own zero, s. */
  readonly lateSeconds: number;
  /** Where the file's clock begins, s. */
  readonly clockSeconds: number;
  /** Sound that is not in the file although its time passes, s. */
  readonly gap: readonly [number, number] | null;
  /** What is cut off before by copying, s. */
  readonly trimSeconds: number;
  /** Bits of a sample that are valid and that are stored. */
  readonly padded: readonly [valid: number, width: number] | null;
  /** What a stated length is multiplied by; 0: none is stated. */
  readonly lie: number | null;
  /** How much of the file is there. */
  readonly share: number;
  readonly junk: 'id3' | 'zeros' | 'noise' | null;
}

const mostOddities = 2;

export function formOf({ container, codec }: Recipe): Form {
  const form = forms.find((each) => each.container === container && each.codec === codec);
  if (!form) throw new Error(`Expected a container and codec of forms.ts but received ${container} with ${codec}`);
  return form;
}

export function drawRecipe(seed: number, number: number): Recipe {
  const random = seeded(Math.imul(seed, 1_000_003) + number);
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item;
  const between = (from: number, to: number): number => Math.round((from + random() * (to - from)) * 1000) / 1000;
  // Containers first: some have many codecs.
  const container = pick([...new Set(forms.map((form) => form.container))]);
  const form = pick(forms.filter((each) => each.container === container));
  const oddities: Oddity[] = [];
  for (let left = Math.floor(random() * (mostOddities + 1)); left > 0; left -= 1) {
    const oddity = pick(form.oddities);
    if (!oddities.includes(oddity)) oddities.push(oddity);
  }
  const has = (oddity: Oddity): boolean => oddities.includes(oddity);
  const [rate, channels] = [pick(form.rates), pick(form.channels)];
  const changesForm = has('chain') && random() < 0.5;
  const part = (isFirst: boolean): Part => ({
    rate: isFirst || !changesForm ? rate : pick(form.rates),
    channels: isFirst || !changesForm ? channels : pick(form.channels.filter((each) => each <= 2)),
    seconds: between(3.7, 4.5),
    // Opposite channels would be gone where a chain goes on with fewer.
    second: pick(['same', 'same', 'soft', changesForm ? 'soft' : 'opposite', 'silent']),
    level: pick([0.5, 0.5, 0.1, 0.9]),
  });
  const parts = has('chain')
    ? [part(true), ...Array.from({ length: 1 + Math.floor(random() * 2) }, () => part(false))]
    : [part(true)];
  const gapFrom = between(0.5, 2.5);
  return {
    number,
    container,
    codec: form.codec,
    // Material exchange files have a picture.
    hasPicture: form.picture !== null && (random() < 0.75 || container === 'mxf'),
    way: pick(form.ways),
    oddities,
    parts,
    lateSeconds: has('late') ? between(0.1, 3) : 0,
    clockSeconds: has('clock') ? pick([1.5, 10, 3600, 95_440]) : 0,
    gap: has('gap') ? [gapFrom, gapFrom + between(0.2, 1.2)] : null,
    trimSeconds: has('trim') ? between(0.3, 1.5) : 0,
    padded: has('padded')
      ? pick([
          [24, 32],
          [20, 32],
          [20, 24],
          [16, 24],
          [12, 16],
          [16, 32],
        ] as const)
      : null,
    lie: has('lie') ? pick([0, 0.5, 2, 10]) : null,
    share: has('cut end') ? between(0.5, 0.97) : 1,
    junk: has('junk before')
      ? pick(['id3', 'zeros'] as const)
      : has('junk behind')
        ? pick(['id3', 'noise'] as const)
        : null,
  };
}

/** In a line. */
export function described(recipe: Recipe): string {
  const {
    container,
    codec,
    hasPicture,
    way,
    parts,
    lateSeconds,
    clockSeconds,
    gap,
    trimSeconds,
    padded,
    lie,
    share,
    junk,
  } = recipe;
  return [
    `${container} ${codec}${hasPicture ? ' with picture' : ''}`,
    ...parts.map((part) => `${part.rate} Hz ${part.channels} ch ${part.second} ${part.seconds} s`),
    ...(way.length > 0 ? [way.join(' ')] : []),
    ...(lateSeconds > 0 ? [`late ${lateSeconds}`] : []),
    ...(clockSeconds > 0 ? [`clock ${clockSeconds}`] : []),
    ...(gap ? [`gap ${gap.map((each) => each.toFixed(2)).join('-')}`] : []),
    ...(trimSeconds > 0 ? [`trim ${trimSeconds}`] : []),
    ...(padded ? [`${padded[0]} bits in ${padded[1]}`] : []),
    ...(lie === null ? [] : [`stated length x ${lie}`]),
    ...(share < 1 ? [`cut to ${share}`] : []),
    ...(junk ? [`${junk} ${recipe.oddities.includes('junk before') ? 'before' : 'behind'}`] : []),
    ...(recipe.oddities.includes('two tracks') ? ['second track is the default'] : []),
  ].join(', ');
}
