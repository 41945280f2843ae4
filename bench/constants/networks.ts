// Preloaded where EARSHOT_NETWORKS names a file: what a network answered once to the same input it answers again
// without being run, so that only the code around it costs time.
import { createRequire } from 'node:module';
import process from 'node:process';
import { bytesOf, hashOf, openAnswers } from './answers.ts';

type Runtime = typeof import('onnxruntime-node');
type Session = Awaited<ReturnType<Runtime['InferenceSession']['create']>>;
type Tensor = InstanceType<Runtime['Tensor']>;
type Kept = Readonly<Record<string, readonly [type: Tensor['type'], dims: readonly number[], data: ArrayBufferView]>>;

const copyOf = (data: ArrayBufferView): unknown => (data as Float32Array).slice();

function keep(path: string): void {
  const answers = openAnswers(path);
  const runtime = createRequire(import.meta.url)('onnxruntime-node') as Runtime;
  const { InferenceSession, Tensor: RuntimeTensor } = runtime;
  const create = InferenceSession.create.bind(InferenceSession) as (
    source: unknown,
    options: unknown,
  ) => Promise<Session>;

  async function open(source: Uint8Array | string, options: unknown): Promise<Session> {
    const network = hashOf(source);
    let real: Promise<Session> | undefined;
    // Until it is needed, the caller may have given its memory away.
    const own = typeof source === 'string' ? source : source.slice();
    const session = (): Promise<Session> => (real ??= create(own, options));
    let facts = answers.find<Pick<Session, 'inputMetadata' | 'outputMetadata'>>(network);
    if (facts === undefined) {
      const { inputMetadata, outputMetadata } = await session();
      facts = { inputMetadata, outputMetadata };
      answers.keep(network, facts);
    }
    return {
      ...facts,
      release: async () => (await real)?.release(),
      async run(feeds: Record<string, Tensor>, fetches: Record<string, Tensor | null>) {
        const inputs = Object.entries(feeds).flatMap(([name, { dims, data }]) => [
          `${name} ${dims.join()} `,
          bytesOf(data as ArrayBufferView),
        ]);
        const key = hashOf(network, ...inputs, Object.keys(fetches).join());
        let kept = answers.find<Kept>(key);
        if (kept === undefined) {
          const outputs = await (await session()).run(feeds, fetches);
          kept = Object.fromEntries(
            Object.entries(outputs).map(([name, { type, dims, data }]) => [
              name,
              [type, dims, data as ArrayBufferView],
            ]),
          ) as Kept;
          // What only a variation asks is asked once.
          if (process.env['EARSHOT_VARIATION'] === undefined) answers.keep(key, kept);
          return outputs;
        }
        return Object.fromEntries(
          Object.entries(kept).map(([name, [type, dims, data]]) => {
            const place = fetches[name];
            // With memory of its own: callers hand it on to threads.
            if (!place) return [name, new RuntimeTensor(type, copyOf(data) as never, dims)];
            bytesOf(place.data as ArrayBufferView).set(bytesOf(data));
            return [name, place];
          }),
        );
      },
    } as unknown as Session;
  }
  (InferenceSession as { create: unknown }).create = open;
}

const path = process.env['EARSHOT_NETWORKS'];
if (path !== undefined) keep(path);
