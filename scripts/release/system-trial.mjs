// What test-windows.mjs runs with the Node of a system, beside an installed earshot: the fourteen tools, inputs of
// every kind, aborts and kills, the command line, a service that is killed and goes on. Writes what came of it to
// trial/answers.json after each step, for the script that waits outside, and outputs to trial/tools/.
// Usage: system-trial.mjs all|tools <folder of the recordings>   ("host": what the step "kill" starts and kills)
import { spawn, spawnSync } from 'node:child_process';
import { createReadStream, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createEngine, probe } from 'earshot';

const own = fileURLToPath(import.meta.url);
const [part, recordings] = process.argv.slice(2);
const given = resolve(recordings);
const file = (name) => join(given, name);
const place = resolve('trial');
const cli = resolve('node_modules/earshot/dist/cli/main.js');
const answers = [];

function expect(condition, what, ...seen) {
  if (!condition) throw new Error(`expected ${what}${seen.length > 0 ? ` but got ${JSON.stringify(seen)}` : ''}`);
}

async function step(name, act) {
  const startedAt = performance.now();
  let outcome;
  try {
    outcome = { ok: true, said: (await act()) ?? '' };
  } catch (thrown) {
    outcome = { ok: false, said: thrown.stack ?? String(thrown) };
  }
  answers.push({ name, ...outcome, seconds: (performance.now() - startedAt) / 1000 });
  writeFileSync(join(place, 'answers.json'), JSON.stringify(answers));
}

/** Looks again and again. @returns the first answer that is no null, undefined or false */
async function until(what, look, seconds = 300) {
  const deadline = performance.now() + seconds * 1000;
  for (;;) {
    const found = await look();
    if (found) return found;
    if (performance.now() > deadline) throw new Error(`waited in vain until ${what}`);
    await sleep(100);
  }
}

const folder = (name) => {
  mkdirSync(join(place, name), { recursive: true });
  return join(place, name);
};
const rejected = (promise) =>
  promise.then(
    () => null,
    (thrown) => thrown,
  );

const script = readFileSync(file('jfk.txt'), 'utf8');
/**
 * What is compared with another system's.
 * @type {[string, string, any, object?][]}
 */
const runs = [
  ['analyze', 'analyze_audio', 'speech.flac'],
  ['loudness', 'adjust_loudness', 'speech.flac'],
  ...['wav', 'flac', 'opus', 'mp3', 'm4a'].map((format) => [
    `to ${format}`,
    'convert_audio',
    'speech.flac',
    { format },
  ]),
  ['cut', 'cut_audio', 'speech.flac', { ranges: [[1, 2]] }],
  ['silence', 'remove_silence', 'speech.flac'],
  ['join', 'join_audio', ['speech.flac', 'um.flac'], { crossfade_ms: 100 }],
  ['replace', 'replace_audio', { video_file_id: 'video.avi', audio_file_id: 'um.flac' }],
  ['speakers', 'level_speakers', 'speech.flac'],
  ['mix', 'mix_tracks', ['speech.flac', 'um.flac'], { tracks: [{ role: 'voice' }, { role: 'music' }] }],
  ['noise', 'remove_noise', 'noisy.flac'],
  ['voice', 'enhance_voice', 'noisy.flac'],
  ['transcribe', 'transcribe_audio', 'speech.flac'],
  ['align', 'align_script', 'speech.flac', { text: script }],
  ['fillers', 'remove_fillers', 'um.flac'],
];
const wanted = process.env.TRIAL_TOOLS ? process.env.TRIAL_TOOLS.split(',') : runs.map(([name]) => name);
const paths = (inputs) =>
  typeof inputs === 'string'
    ? file(inputs)
    : Array.isArray(inputs)
      ? inputs.map(file)
      : Object.fromEntries(Object.entries(inputs).map(([field, name]) => [field, file(name)]));

async function tools(engine) {
  for (const [name, tool, inputs, options = {}] of runs.filter(([each]) => wanted.includes(each)))
    await step(`tool ${name}`, async () => {
      const outputDir = folder(`tools/${name}`);
      const { outputs, result } = await engine.run(tool, paths(inputs), options, { outputDir });
      writeFileSync(join(outputDir, 'result.json'), JSON.stringify(result));
      expect(tool === 'analyze_audio' || outputs.length > 0, 'an output');
      return outputs.map(({ filename }) => filename).join(', ');
    });
}

async function inputs(engine) {
  const bytes = readFileSync(file('um.flac'));
  const kinds = {
    bytes: () => bytes,
    'a Node stream': () => createReadStream(file('um.flac')),
    'a web stream': () => Readable.toWeb(createReadStream(file('um.flac'))),
    'bytes with a name': () => ({ data: bytes, name: 'my sound.flac' }),
    'a path with a name': () => ({ path: file('um.flac'), name: 'a:b?.flac' }),
    'a device as name': () => ({ data: bytes, name: 'con.flac' }),
  };
  for (const [kind, make] of Object.entries(kinds))
    await step(`input: ${kind}`, async () => {
      const outputDir = folder(`inputs/${kind}`);
      const { outputs } = await engine.run('convert_audio', make(), { format: 'wav' }, { outputDir });
      const { durationSeconds } = await probe(outputs[0].path);
      const { durationSeconds: expected } = await probe(file('um.flac'));
      expect(Math.abs(durationSeconds - expected) < 0.01, `${expected} s`, durationSeconds);
      expect(readdirSync(outputDir).join() === outputs[0].filename, outputs[0].filename, readdirSync(outputDir));
      return outputs[0].filename;
    });
}

/** How many Nodes run on this Windows. */
function nodes() {
  // Wine's answers in UTF-16, that of Windows in bytes.
  const listed = spawnSync('tasklist', ['/fo', 'csv', '/nh']).stdout.toString('latin1').replaceAll('\0', '');
  const count = listed.match(/"node\.exe"/g)?.length ?? 0;
  expect(count > 0, 'this very process in the list', listed.slice(0, 200));
  return count;
}

async function ends(nodesAtFirst) {
  await step('abort', async () => {
    const tempDir = folder('abort/temp');
    const outputDir = folder('abort/out');
    const engine = createEngine({ tempDir });
    const controller = new AbortController();
    const options = {
      outputDir,
      signal: controller.signal,
      onProgress: ({ progress }) => progress > 0 && controller.abort(),
    };
    const thrown = await rejected(engine.run('transcribe_audio', file('speech-30.mp3'), {}, options));
    expect(thrown !== null, 'a rejection');
    await engine.close();
    expect(readdirSync(tempDir).length === 0, 'no file left', readdirSync(tempDir));
    expect(readdirSync(outputDir).length === 0, 'no output', readdirSync(outputDir));
    return `${thrown.name} ${thrown.code ?? ''}`;
  });
  await step('kill of a program with a job', async () => {
    await until('job processes of earlier steps are gone', () => nodes() <= nodesAtFirst);
    const child = spawn(process.execPath, [own, 'host', given], { stdio: ['ignore', 'pipe', 'inherit'] });
    const exit = new Promise((done) => child.once('exit', done));
    await Promise.race([exit, new Promise((done) => child.stdout.once('data', done))]);
    expect(child.exitCode === null, 'a program that works', child.exitCode);
    const more = nodes() - nodesAtFirst;
    expect(more >= 2, 'the program and its job process', more);
    child.kill('SIGKILL');
    await exit;
    await until('its job process is gone', () => nodes() <= nodesAtFirst);
    const tempDir = folder('kill/temp');
    const engine = createEngine({ tempDir });
    await engine.run('convert_audio', file('um.flac'), { format: 'wav' }, { outputDir: folder('kill/out') });
    await engine.close();
    await until('what it left is gone', () => readdirSync(tempDir).length === 0, 30);
  });
}

/** The program that is killed: it says a word when its job has begun. */
async function host() {
  const engine = createEngine({ tempDir: folder('kill/temp') });
  const onProgress = ({ progress }) => progress > 0 && process.stdout.write('working');
  await engine.run('transcribe_audio', file('speech-30.mp3'), {}, { outputDir: folder('kill/out'), onProgress });
}

function earshot(args, input) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [cli, ...args], { input, maxBuffer: 2 ** 26 });
  return { status, stdout, said: stderr.toString() };
}

async function commands() {
  const cwd = folder('commands');
  await step('command: version', () => {
    const { status, stdout } = earshot(['--version']);
    expect(status === 0, 'status 0', status);
    return stdout.toString().trim();
  });
  await step('command: a file', async () => {
    const { status, said } = earshot(['loudness', file('um.flac'), '-o', join(cwd, 'um.wav')]);
    expect(status === 0, 'status 0', status, said);
    expect((await probe(join(cwd, 'um.wav'))).format === 'wav', 'a WAV file');
  });
  await step('command: standard input and output', () => {
    const { status, stdout, said } = earshot(
      ['convert', '-', '--format', 'wav', '-o', '-', '--quiet'],
      readFileSync(file('um.flac')),
    );
    expect(status === 0, 'status 0', status, said);
    expect(stdout.readUInt32LE(4) === stdout.length - 8, 'a whole WAV file', stdout.length);
  });
  await step('command: a file that is not there', () => {
    const { status, said } = earshot(['convert', join(cwd, 'none.wav'), '-o', join(cwd, 'x.wav')]);
    expect(status > 0 && said.includes('none.wav'), 'an error that names it', status, said);
    return said.trim().split('\n')[0];
  });
  await step('command: an output that Windows does not keep', () => {
    const { status, said } = earshot(['convert', file('um.flac'), '-o', join(cwd, 'nul.wav')]);
    expect(status === 2 && /NUL is a device/.test(said), 'a refusal', status, said);
  });
}

const launchers = [];
async function serve(data) {
  const child = spawn(process.execPath, [cli, 'serve', '--data', data, '--port', '0', '--log-level', 'error'], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes) => (text += bytes));
  launchers.push(child);
  const exit = new Promise((done) => child.once('exit', done));
  await until('the service listens', () => {
    if (child.exitCode !== null) throw new Error(`the service ended: ${text.slice(-3000)}`);
    return /listening on/.test(text) && /Ctrl-C/.test(text);
  });
  const address = /listening on (http:\/\/\S+)/.exec(text)[1];
  return {
    address,
    key: /svc_sk_\w+/.exec(text)?.[0],
    async kill() {
      child.kill('SIGKILL');
      await exit;
    },
  };
}

async function call({ address, key }, path, body) {
  const response = await fetch(path.startsWith('http') ? path : `${address}/api/v1/${path}`, {
    headers: { authorization: `Bearer ${key}`, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${text}`);
  return JSON.parse(text);
}

async function upload(service, name) {
  const bytes = readFileSync(file(name));
  const { file: made, uploadPageUrl } = await call(service, 'files', { filename: name, sizeBytes: bytes.length });
  const put = await fetch(`${uploadPageUrl}/file`, { method: 'PUT', body: bytes });
  if (!put.ok) throw new Error(`the upload was answered ${put.status}: ${await put.text()}`);
  await call(service, `files/${made.id}?wait=20`);
  return made.id;
}

let orders = 0;
async function order(service, tool, id) {
  return (await call(service, 'jobs', { tool, file_id: id, idempotency_key: `order-${(orders += 1)}` })).id;
}
async function finished(service, job) {
  const ended = await until(`job ${job} has ended`, async () => {
    const found = await call(service, `jobs/${job}`);
    return ['succeeded', 'failed', 'cancelled'].includes(found.status) && found;
  });
  expect(ended.status === 'succeeded', 'a job that succeeded', ended);
  return ended;
}

async function service() {
  const data = join(place, 'data');
  const postmaster = join(data, 'postgres', 'postmaster.pid');
  const database = () => Number(readFileSync(postmaster, 'utf8').split('\n')[0]);
  let running;
  let key;
  let job;
  await step('service: start, upload, job, download', async () => {
    running = await serve(data);
    key = running.key;
    const done = await finished(running, await order(running, 'adjust_loudness', await upload(running, 'um.flac')));
    const { url } = await call(running, `files/${done.outputs[0].id}/download`);
    const response = await fetch(url);
    const bytes = Buffer.from(await response.arrayBuffer());
    expect(response.ok && bytes.length > 1000, 'an output', response.status, bytes.length);
    return `${bytes.length} bytes`;
  });
  await step('service: everything ends with a killed launcher', async () => {
    job = await order(running, 'transcribe_audio', await upload(running, 'speech-30.mp3'));
    await until('the job runs', async () => (await call(running, `jobs/${job}`)).status === 'running');
    await running.kill();
    await until('the API is gone', async () => (await rejected(fetch(running.address))) !== null, 60);
    await until('the database has shut down', () => !existsSync(postmaster), 120);
  });
  await step('service: the next start takes the job over', async () => {
    running = { ...(await serve(data)), key };
    const { outputs } = await finished(running, job);
    return outputs.map(({ filename }) => filename).join(', ');
  });
  await step('service: a killed database comes back', async () => {
    const before = database();
    process.kill(before, 'SIGKILL');
    await until('another one runs', () => existsSync(postmaster) && database() !== before);
    await until('the service is ready', async () => (await rejected(call(running, 'jobs'))) === null);
    await finished(running, await order(running, 'adjust_loudness', await upload(running, 'um.flac')));
    await running.kill();
    await until('the database has shut down', () => !existsSync(postmaster), 120);
  });
}

if (part === 'host') await host();
else {
  const nodesAtFirst = part === 'all' ? nodes() : 0;
  const engine = createEngine({ tempDir: folder('temp'), confinement: process.env.TRIAL_CONFINEMENT || 'best' });
  await tools(engine);
  if (part === 'all') await inputs(engine);
  await engine.close();
  await step('nothing is left in the temporary folder', () => {
    const left = readdirSync(join(place, 'temp'));
    expect(left.length === 0, 'an empty folder', left);
  });
  if (part === 'all') {
    await ends(nodesAtFirst);
    await commands();
    await service();
  }
  for (const launcher of launchers) launcher.kill('SIGKILL');
  writeFileSync(join(place, 'done'), '');
  process.exit(0);
}
