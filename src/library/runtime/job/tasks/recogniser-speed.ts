// Measures how fast a recogniser reads on this machine: a synthetic eSpeak NG voice, with everything that `recognise`
// does.
import { probe } from '../../../media/read/probe.ts';
import { join } from 'node:path';
import type { RunResult, RunContext } from '../../../tools/declare/run.ts';
import { openEncoder } from '../../../media/write/encode.ts';
import { openEspeak } from '../../../speech/align/reference/espeak.ts';
import { voicesFor } from '../../../speech/align/reference/languages.ts';
import { recognise } from '../../../speech/recognise/recognise.ts';
import { extractSpeech } from '../../../speech/speech-sound.ts';
import { keepingNetworks, mostReadings, secondsOfReading } from '../reading-speed.ts';

interface SpeedOptions {
  readonly recogniser: string;
}

const text =
  'The harbour was quiet when the first boats came in. Nobody on the quay had expected them before noon, and the ' +
  'market hall was still closed. A woman in a green coat asked the oldest of the fishermen what the weather had been ' +
  'like beyond the lighthouse. He took his time over the answer. There had been fog until four, he said, then a ' +
  'little rain, and after that the sea was as flat as a table. She wrote it down, thanked him, and walked back to ' +
  'the station, where the train to the capital was already waiting.';

/** Per core: enough for several windows of 30 s. */
const secondsPerCore = 60;
/** Read by several voices, one after the other. */
async function writeVoice(path: string, seconds: number): Promise<void> {
  const espeak = await openEspeak();
  const voices = voicesFor(espeak, 'en');
  const sayWith = (turn: number) =>
    espeak.speak(voices[turn % voices.length] ?? '', text, { pitch: 35 + ((turn * 20) % 50) });
  const { sampleRate } = sayWith(0);
  const sink = openEncoder(path, { sampleRate, channels: 1, layout: 'mono' }, { format: 'wav', bitDepth: '16' });
  try {
    for (let [turn, frames] = [0, 0]; frames < seconds * sampleRate; turn += 1) {
      const { samples } = sayWith(turn);
      sink.write({ planes: [samples], frames: samples.length });
      frames += samples.length;
    }
    sink.finish();
  } finally {
    sink.close();
  }
}

export async function run(context: RunContext<SpeedOptions>): Promise<RunResult> {
  const { workDir, signal, progress, parallelism, options } = context;
  const path = join(workDir, 'voice.wav');
  await writeVoice(path, secondsPerCore * parallelism);
  const sound = await extractSpeech(probe(path), workDir, { signal, onProgress: () => undefined });
  try {
    const fanOut = keepingNetworks(context.fanOut);
    const seconds = await secondsOfReading(async (reading) => {
      const start = performance.now();
      const { regions } = await recognise(sound, {
        ...context,
        fanOut,
        language: 'en',
        recogniser: options.recogniser,
        verbatim: false,
        onProgress: (fraction) => progress((reading + fraction) / mostReadings, 'listening'),
      });
      for await (const region of regions) void region;
      return (performance.now() - start) / 1000;
    });
    const timesRealTime = Math.round((100 * sound.durationSeconds) / seconds) / 100;
    return { outputs: [], result: { timesRealTime, cores: parallelism }, processedSeconds: sound.durationSeconds };
  } finally {
    sound.close();
  }
}
