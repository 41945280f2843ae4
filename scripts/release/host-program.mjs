// What try-hosts.mjs runs in each host, beside tone.wav and long.wav: the library by files, streams and bytes, its
// errors, an abort, and a job process that is killed from outside. Ends by itself, with the word "fine".
import { createEngine, EarshotError, peaks, probe } from 'earshot';
import assert from 'node:assert/strict';
import { createReadStream, readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';

const input = 'tone.wav';
const into = (outputDir) => ({ outputDir, overwrite: true });
const caught = (promise) =>
  promise.then(
    () => assert.fail('it was to fail'),
    (thrown) => thrown,
  );

const engine = createEngine({ prefork: true, concurrency: 2 });
const stages = new Set();
const [file, stream] = await Promise.all([
  engine.run(
    'convert_audio',
    input,
    { format: 'mp3' },
    { ...into('out'), onProgress: ({ stage }) => stages.add(stage) },
  ),
  engine.stream('cut_audio', createReadStream(input), { ranges: [[0, 1.5]] }),
]);
assert.equal((await probe(file.outputs[0].path)).format, 'mp3');
assert.ok(stages.size > 0);
let bytes = 0;
for await (const chunk of stream.outputs[0].stream) bytes += chunk.length;
assert.ok(bytes > 10_000);
const { result } = await engine.run('analyze_audio', { data: await readFile(input), name: 'bytes.wav' });
assert.equal(Math.round(result.durationSeconds), 2);

const missing = await caught(engine.run('analyze_audio', 'nothing.wav'));
assert.ok(missing instanceof EarshotError);
assert.equal(missing.code, 'not_found');
const aborted = await caught(
  engine.run('remove_noise', 'long.wav', {}, { ...into('aborted'), signal: AbortSignal.timeout(50) }),
);
assert.equal(aborted.name, 'AbortError');

// As when the system runs out of memory.
const killer = new AbortController();
const killed = caught(
  engine.run(
    'remove_noise',
    'long.wav',
    {},
    { ...into('killed'), onProgress: ({ progress }) => progress > 0 && killer.abort() },
  ),
);
killer.signal.addEventListener('abort', () => {
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name)))
    try {
      const [, parent] = /\) \S (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, 'latin1')) ?? [];
      if (Number(parent) === process.pid) process.kill(Number(pid), 'SIGKILL');
    } catch {
      // It has ended meanwhile.
    }
});
assert.equal((await killed).code, 'internal_error');
await engine.run('adjust_loudness', input, { target: 'podcast' }, into('out'));
assert.ok((await peaks(input)).peak > 0.2);
await engine.close();

// An engine that is not closed does not keep the program alive.
await createEngine().run('analyze_audio', input);
console.log('fine');
