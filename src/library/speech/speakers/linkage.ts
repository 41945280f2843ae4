// Average linkage (UPGMA) of voices. Embeddings have length 1 and their distance is 1 - cosine, so the mean distance
// between the members of two clusters is 1 minus the product of their mean vectors: no distance table is needed, and
// memory grows with the number of items only.
import { setImmediate as turn } from 'node:timers/promises';
import { throwIfAborted } from '../../core/abort.ts';
import { nearestRow } from '../../kernels/nearest-row.ts';

/** Items or clusters of items: their mean vectors, concatenated, and the weight of each. */
export interface Clusters {
  readonly means: Float32Array;
  readonly sizes: Float64Array;
}

export interface LinkageOptions {
  /** Clusters merge while their mean distance is at most this: 0 to 2. */
  readonly cut: number;
  readonly signal: AbortSignal;
  /** Number of items clustered at once; more are clustered in such blocks first. Default 1500. */
  readonly block?: number;
}

const defaultBlock = 1500;
/** In blocks only distances this much below the cut merge, so that whole clusters decide about the rest. */
const blockMargin = 0.05;
/** Milliseconds of work between two turns of the event loop. */
const turnMilliseconds = 40;

/** Merges items until nothing is within the cut; returns for every item the representative of its cluster. */
async function link({ means, sizes }: Clusters, { cut, signal }: LinkageOptions): Promise<Int32Array> {
  const items = sizes.length;
  const length = items === 0 ? 0 : means.length / items;
  const standsFor = Int32Array.from({ length: items }, (_, index) => index);
  // Rows that may still merge come first: each item's row, and each row's item.
  const active = { count: items };
  const rows = means.slice();
  const size = sizes.slice();
  const rowOf = standsFor.slice();
  const itemOf = standsFor.slice();
  const remove = (item: number): void => {
    active.count -= 1;
    const { count } = active;
    const row = rowOf[item] as number;
    rows.copyWithin(row * length, count * length, (count + 1) * length);
    const moved = itemOf[count] as number;
    itemOf[row] = moved;
    rowOf[moved] = row;
  };
  const merge = (kept: number, gone: number): void => {
    const [a, b] = [size[kept] as number, size[gone] as number];
    const [to, from] = [(rowOf[kept] as number) * length, (rowOf[gone] as number) * length];
    for (let i = 0; i < length; i += 1)
      rows[to + i] = (a * (rows[to + i] as number) + b * (rows[from + i] as number)) / (a + b);
    size[kept] = a + b;
    standsFor[gone] = kept;
    remove(gone);
  };
  const distance = (item: number, other: number): number => {
    const [a, b] = [(rowOf[item] as number) * length, (rowOf[other] as number) * length];
    let product = 0;
    for (let i = 0; i < length; i += 1) product += (rows[a + i] as number) * (rows[b + i] as number);
    return 1 - product;
  };
  // Nearest-neighbour chains (Benzecri 1982; Murtagh 1983): with average linkage a merge never brings a third cluster
  // nearer, so two mutual nearest neighbours may merge at once, and one that is far from all others stays so.
  const chain: number[] = [];
  let workedSince = performance.now();
  while (active.count > 0) {
    const { count } = active;
    if (performance.now() - workedSince > turnMilliseconds) {
      await turn();
      throwIfAborted(signal);
      workedSince = performance.now();
    }
    if (chain.length === 0) chain.push(itemOf[0] as number);
    const item = chain.at(-1) as number;
    const before = chain.at(-2);
    const preferred = before === undefined ? count : (rowOf[before] as number);
    const other =
      count === 1
        ? item
        : (itemOf[nearestRow(rows, { length, count, item: rowOf[item] as number, preferred })] as number);
    if (other === item || distance(item, other) > cut) {
      chain.pop();
      remove(item);
    } else if (other !== before) chain.push(other);
    else {
      chain.length -= 2;
      merge(Math.min(item, other), Math.max(item, other));
    }
  }
  for (let item = 0; item < items; item += 1) standsFor[item] = standsFor[standsFor[item] as number] as number;
  return standsFor;
}

/** The clusters described by `standsFor`, in order of their first item. */
function merged({ means, sizes }: Clusters, standsFor: Int32Array): Clusters & { readonly of: Int32Array } {
  const length = means.length / sizes.length;
  const of = new Int32Array(standsFor.length);
  let count = 0;
  for (let item = 0; item < of.length; item += 1)
    of[item] = standsFor[item] === item ? count++ : (of[standsFor[item] as number] as number);
  const next = new Float32Array(count * length);
  const total = new Float64Array(count);
  for (let item = 0; item < of.length; item += 1) {
    const [cluster, size] = [of[item] as number, sizes[item] as number];
    const [to, from] = [cluster * length, item * length];
    const all = (total[cluster] as number) + size;
    // A running mean needs no second table.
    for (let i = 0; i < length; i += 1)
      next[to + i] = (next[to + i] as number) + ((means[from + i] as number) - (next[to + i] as number)) * (size / all);
    total[cluster] = all;
  }
  return { means: next, sizes: total, of };
}

/**
 * Average linkage, cut at a distance. Beyond two blocks of items, clear clusters merge inside blocks of neighbours
 * first, and the rest is decided between those clusters: time grows with the length rather than its square, and results
 * differ only in close cases.
 * @param items one each; `sizes` are their weights
 * @returns the number of each item's cluster, in order of their first items
 * @throws AbortError within 50 ms
 */
export async function averageLinkage(items: Clusters, options: LinkageOptions): Promise<Int32Array> {
  const { block = defaultBlock, cut } = options;
  const count = items.sizes.length;
  const cluster = Int32Array.from({ length: count }, (_, index) => index);
  let left = items;
  const mergeBy = (standsFor: Int32Array): void => {
    const next = merged(left, standsFor);
    for (let item = 0; item < count; item += 1) cluster[item] = next.of[cluster[item] as number] as number;
    left = next;
  };
  while (left.sizes.length > 2 * block) {
    const before = left.sizes.length;
    const length = left.means.length / before;
    const standsFor = new Int32Array(before);
    for (let from = 0; from < before; from += block) {
      const to = Math.min(before, from + block);
      const part = { means: left.means.subarray(from * length, to * length), sizes: left.sizes.subarray(from, to) };
      const found = await link(part, { ...options, cut: cut - blockMargin });
      for (let item = from; item < to; item += 1) standsFor[item] = from + (found[item - from] as number);
    }
    mergeBy(standsFor);
    // Little merges inside blocks: the rest must be clustered as a whole.
    if (left.sizes.length > 0.9 * before) break;
  }
  if (count > 0) mergeBy(await link(left, options));
  return cluster;
}
