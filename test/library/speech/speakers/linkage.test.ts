import { describe, expect, it } from 'vitest';
import { averageLinkage, type Clusters } from '../../../../src/library/speech/speakers/linkage.ts';
import { seeded } from '../../../fixtures/random.ts';
import { slow, slower } from '../../../fixtures/rounds.ts';

const { signal } = new AbortController();

interface Crowd extends Clusters {
  /** Whose voice each item is; -1 for noises that are like nothing. */
  readonly who: Int32Array;
}

/** Embeddings of people who speak in turn: `spread` 0.7 has a mean distance of 0.33 inside a voice. */
function crowd(count: number, people: number, spread: number, seed: number, length = 192): Crowd {
  const random = seeded(seed);
  const normal = (): number => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  const centres = Array.from({ length: people }, () => Float64Array.from({ length }, normal));
  const means = new Float32Array(count * length);
  const who = new Int32Array(count);
  let person = 0;
  for (let item = 0; item < count; item += 1) {
    if (random() < 0.2) person = Math.floor(random() * people);
    const noise = random() < 0.03;
    who[item] = noise ? -1 : person;
    const at = item * length;
    let square = 0;
    for (let i = 0; i < length; i += 1) {
      const value = (noise ? 0 : (centres[person]?.[i] as number)) + spread * normal();
      means[at + i] = value;
      square += value * value;
    }
    for (let i = 0; i < length; i += 1) means[at + i] = (means[at + i] as number) / Math.sqrt(square);
  }
  return { means, sizes: new Float64Array(count).fill(1), who };
}

/** The definition: merge the two clusters whose members' mean distance is least, as long as it is within the cut. */
function byDefinition({ means, sizes }: Clusters, cut: number): number[] {
  const length = means.length / sizes.length;
  const distance = (a: number, b: number): number => {
    let product = 0;
    for (let i = 0; i < length; i += 1) product += means[a * length + i]! * means[b * length + i]!;
    return 1 - product;
  };
  let clusters = Array.from(sizes, (_, index) => [index]);
  for (;;) {
    let [least, pair]: [number, [number, number]] = [cut, [-1, -1]];
    for (let a = 0; a < clusters.length; a += 1)
      for (let b = a + 1; b < clusters.length; b += 1) {
        let sum = 0;
        for (const x of clusters[a]!) for (const y of clusters[b]!) sum += distance(x, y);
        const mean = sum / (clusters[a]!.length * clusters[b]!.length);
        if (mean <= least) [least, pair] = [mean, [a, b]];
      }
    const [a, b] = pair;
    if (a === -1) break;
    clusters = clusters.flatMap((cluster, index) =>
      index === a ? [[...cluster, ...clusters[b]!]] : index === b ? [] : [cluster],
    );
  }
  const of = Array.from(sizes, (_, item) => clusters.findIndex((cluster) => cluster.includes(item)));
  const order = [...new Set(of)];
  return of.map((cluster) => order.indexOf(cluster));
}

describe('averageLinkage', () => {
  it.each([1, 2, 3, 4])('is average linkage as defined (seed %i)', async (seed) => {
    const items = crowd(70, 4, 0.9, seed, 24);
    for (const cut of [0.3, 0.5, 0.7])
      expect([...(await averageLinkage(items, { cut, signal }))]).toEqual(byDefinition(items, cut));
  });

  it('takes none, one, and many of the same', async () => {
    expect([
      ...(await averageLinkage({ means: new Float32Array(0), sizes: new Float64Array(0) }, { cut: 1, signal })),
    ]).toEqual([]);
    const same = { means: new Float32Array(300).fill(0.1), sizes: new Float64Array(3).fill(1) };
    expect([...(await averageLinkage(same, { cut: 0.5, signal }))]).toEqual([0, 0, 0]);
    const one = { means: Float32Array.of(1, 0), sizes: Float64Array.of(1) };
    expect([...(await averageLinkage(one, { cut: 0.5, signal }))]).toEqual([0]);
  });

  /** Share of items whose cluster is, in the other clustering, mostly the same. */
  const agreement = (a: Int32Array, b: Int32Array): number => {
    const pairs = new Map<string, number>();
    a.forEach((cluster, item) => {
      const key = `${cluster},${b[item]}`;
      pairs.set(key, (pairs.get(key) ?? 0) + 1);
    });
    const best = new Map<string, number>();
    for (const [key, count] of pairs) {
      const cluster = key.split(',')[0] as string;
      best.set(cluster, Math.max(best.get(cluster) ?? 0, count));
    }
    return [...best.values()].reduce((sum, count) => sum + count, 0) / a.length;
  };

  it('ten hours in blocks take seconds and little memory', slower, async () => {
    // As many as ten hours have. At 0.85 the mean distance inside a voice, 0.42, is near the cut.
    const items = crowd(36_000, 8, 0.85, 7);
    const before = process.memoryUsage();
    const cpu = process.cpuUsage();
    const found = await averageLinkage(items, { cut: 0.5, signal });
    const { user, system } = process.cpuUsage(cpu);
    const after = process.memoryUsage();
    expect((user + system) / 1e6).toBeLessThan(30);
    expect(after.rss - before.rss).toBeLessThan(250e6);
    const sizes = new Map<number, number>();
    for (const cluster of found) sizes.set(cluster, (sizes.get(cluster) ?? 0) + 1);
    expect([...sizes.values()].filter((size) => size > 500)).toHaveLength(8);
    // Each person's items lie in one cluster.
    const real = [...items.who.keys()].filter((item) => items.who[item] !== -1);
    const [people, clusters] = [items.who, found].map((of) => Int32Array.from(real, (item) => of[item] as number));
    expect(agreement(people as Int32Array, clusters as Int32Array)).toBeGreaterThan(0.98);
  });

  it.each([
    [0.7, 0.999],
    [0.85, 0.97],
  ])('blocks come out nearly as without them (spread %f)', slow, async (spread, least) => {
    const items = crowd(4000, 8, spread, 8);
    const [whole, blocked] = [
      await averageLinkage(items, { cut: 0.5, signal, block: 4000 }),
      await averageLinkage(items, { cut: 0.5, signal, block: 300 }),
    ];
    expect(Math.min(agreement(whole, blocked), agreement(blocked, whole))).toBeGreaterThan(least);
  });

  it('stops within 200 ms', slow, async () => {
    const stop = new AbortController();
    const running = averageLinkage(crowd(20_000, 8, 1.3, 9), { cut: 0.5, signal: stop.signal, block: 20_000 });
    let atAbort = process.cpuUsage();
    setTimeout(() => {
      atAbort = process.cpuUsage();
      stop.abort();
    }, 100);
    await expect(running).rejects.toMatchObject({ name: 'AbortError' });
    // Other programs take time from this one, but none of its CPU.
    const { user, system } = process.cpuUsage(atAbort);
    expect((user + system) / 1000).toBeLessThan(200);
  });
});
