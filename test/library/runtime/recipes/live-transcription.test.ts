import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { TranscribeAudioOptions } from '../../../../src/library/tools/option-types.ts';
import { transcribeLive } from '../../../../src/library/runtime/recipes/live-transcription.ts';
import type { Engine } from '../../../../src/library/runtime/engine/engine-types.ts';
import { listing, rejection, useEngines } from '../support.ts';
import { slow } from '../../../fixtures/rounds.ts';

const { engine, folder } = useEngines();

/** The fixture tool borrows the id and has options of its own. */
const talk = (options: object): TranscribeAudioOptions =>
  ({ behaviour: 'sentences', ...options }) as unknown as TranscribeAudioOptions;

async function textsOf(sentences: AsyncIterable<{ readonly text: string }>): Promise<string[]> {
  const texts: string[] = [];
  for await (const { text } of sentences) texts.push(text);
  return texts;
}

describe('transcribeLive', () => {
  it('hands out every sentence once, in order, and then the run', slow, async () => {
    const live = transcribeLive(engine() as Engine, [], talk({ bytes: 200 }));
    expect(await textsOf(live)).toEqual(Array.from({ length: 200 }, (_, index) => `${index}`));
    expect(await live.done).toMatchObject({ result: { count: 200 }, processedSeconds: 200 });
  });

  it('hands out the first sentence while the rest is running', slow, async () => {
    const live = transcribeLive(engine() as Engine, [], talk({ bytes: 3, milliseconds: 300 }));
    let running = true;
    const done = live.done.finally(() => (running = false));
    const seen: boolean[] = [];
    for await (const _ of live) seen.push(running);
    await done;
    expect([seen.length, seen[0]]).toEqual([3, true]);
  });

  it('keeps sentences for who reads them late', async () => {
    const live = transcribeLive(engine() as Engine, [], talk({ bytes: 5 }));
    await live.done;
    expect(await textsOf(live)).toEqual(['0', '1', '2', '3', '4']);
    expect(await textsOf(live)).toEqual([]);
  });

  it('ends with the error of the run, behind the sentences before it', async () => {
    const live = transcribeLive(engine() as Engine, [], talk({ bytes: 2, text: 'That was all.' }));
    const texts: string[] = [];
    const failed = await rejection(
      (async () => {
        for await (const { text } of live) texts.push(text);
      })(),
    );
    expect(failed).toMatchObject({ code: 'no_audio', message: 'That was all.' });
    expect(texts).toEqual(['0', '1']);
    expect(await rejection(live.done)).toBe(failed);
  });

  it('leaving the loop ends the run, and so does the signal', slow, async () => {
    const one = transcribeLive(engine() as Engine, [], talk({ bytes: 10_000, milliseconds: 20 }));
    for await (const { text } of one) if (text === '2') break;
    expect(await rejection(one.done)).toMatchObject({ name: 'AbortError' });
    const abort = new AbortController();
    const other = transcribeLive(engine() as Engine, [], talk({ bytes: 10_000, milliseconds: 20 }), {
      signal: abort.signal,
    });
    const reading = rejection(
      (async () => {
        for await (const _ of other) abort.abort();
      })(),
    );
    expect(await reading).toMatchObject({ name: 'AbortError' });
  });
});

describe('formats', () => {
  const run = (control: object) => engine().run('transcribe_audio', [], { behaviour: 'sentences' }, control);

  it('all are written unless some are chosen, or the name of the output chooses one', slow, async () => {
    const outputDir = folder();
    await run({ outputDir });
    expect(listing(outputDir)).toEqual(['talk.json', 'talk.srt', 'talk.txt']);
    const some = folder();
    await run({ outputDir: some, formats: ['txt', 'json'] });
    expect(listing(some)).toEqual(['talk.json', 'talk.txt']);
    const named = folder();
    const { outputs } = await run({ output: join(named, 'my talk.srt') });
    expect(outputs.map(({ format }) => format)).toEqual(['srt']);
    expect(readFileSync(join(named, 'my talk.srt'), 'utf8')).toBe('srt');
    expect(listing(named)).toEqual(['my talk.srt']);
    const two = folder();
    await run({ output: join(two, 'x.txt'), formats: ['json', 'txt'] });
    expect(listing(two)).toEqual(['x.json', 'x.txt']);
    expect(readFileSync(join(two, 'x.txt'), 'utf8')).toBe('txt');
  });

  it('what the tool does not write is refused before it runs', async () => {
    expect(await rejection(run({ formats: ['srt', 'pdf'] }))).toMatchObject({
      code: 'bad_request',
      details: { field: 'formats', received: 'pdf of type string' },
    });
    expect(await rejection(run({ formats: [] }))).toMatchObject({ code: 'bad_request' });
    expect(await rejection(run({ output: join(folder(), 'talk.pdf') }))).toMatchObject({
      code: 'bad_request',
      details: { field: 'output' },
    });
    expect(await rejection(engine().run('cut_audio', [], { behaviour: 'write' }, { formats: ['txt'] }))).toMatchObject({
      code: 'bad_request',
      details: { field: 'formats' },
    });
  });
});
