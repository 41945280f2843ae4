// The process that transcribes a stream: bytes come on standard input, and lines of JSON go to standard output. It ends
// with `process.exit`, since its threads cannot be ended.
import { tmpdir } from 'node:os';
import { EarshotError } from '../../core/errors/errors.ts';
import { usableCores } from '../../core/machine/machine.ts';
import { openAudioStream } from '../../media/read/decode-stream.ts';
import { liveSentences } from '../../speech/live/live-sentences.ts';
import { speechRate } from '../../speech/speech-sound.ts';
import { createFanOut } from './fan-out.ts';
import type { FromLive, LiveSettings } from '../channel/live-messages.ts';
import { makeWorkFolder, removeStaleWorkFolders, removeWorkFolder, workPartOf } from '../files/work-folder.ts';

const send = (message: FromLive): Promise<void> =>
  new Promise((resolve) => {
    process.stdout.write(`${JSON.stringify(message)}\n`, () => resolve());
  });

async function follow({
  options,
  early,
  modelsDir,
  cores = usableCores(),
  tempDir = tmpdir(),
}: LiveSettings): Promise<void> {
  const { signal } = new AbortController();
  // What this process leaves when it is killed, a later one or an engine removes.
  await removeStaleWorkFolders(tempDir);
  const own = await makeWorkFolder(tempDir);
  const folder = workPartOf(own);
  try {
    const bytes = process.stdin[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>;
    const stream = await openAudioStream(bytes, speechRate);
    const sound = { next: () => stream.next(), stop: () => void process.stdin.destroy() };
    const fanOut = createFanOut(cores, signal);
    const onBehind = (seconds: number): void => void send({ behindSeconds: seconds });
    const settings = { ...options, early, folder, modelsDir, fanOut, signal, onBehind };
    for await (const sentence of liveSentences(sound, settings)) await send({ sentence });
  } finally {
    await removeWorkFolder(own);
  }
}

// The host is gone.
process.stdout.on('error', () => process.exit(1));
try {
  await follow(JSON.parse(process.argv[2] ?? '{}') as LiveSettings);
  await send({ ended: true });
} catch (thrown) {
  await send({ error: EarshotError.from(thrown).toJSON() });
}
process.exit();
