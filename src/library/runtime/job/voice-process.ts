// The process that hears where people speak in the sound of many connections, for a service. It gets samples alone, and
// ends with its parent.
import { setPriority } from 'node:os';
import { usualLayout } from '../../core/channels.ts';
import { EarshotError } from '../../core/errors/errors.ts';
import { createFormatConverter, type FormatConverter } from '../../media/convert/format-converter.ts';
import { type LiveVoice, loadVoiceNetwork, openLiveVoice } from '../../speech/activity/live-voice.ts';
import { speechRate } from '../../speech/speech-sound.ts';
import type { FromVoices, ToVoices } from '../channel/voice-messages.ts';

const fullScale = 32_768;
const niceness = 5;
const modelsDir = process.argv[2];

interface Track {
  readonly converter: FormatConverter;
  readonly voice: Promise<LiveVoice>;
  /** What it was told is done in order. */
  last: Promise<unknown>;
}
const tracks = new Map<number, Track>();
/** Of all tracks. */
let network: ReturnType<typeof loadVoiceNetwork> | null = null;

const tell = (message: FromVoices): void => void process.send?.(message);

async function hear({ converter, voice }: Track, samples: Int16Array): Promise<Float32Array> {
  const plane = Float32Array.from(samples, (sample) => sample / fullScale);
  const block = converter.convert({ planes: [plane], frames: plane.length });
  const [sound] = block?.planes ?? [];
  if (block === null || sound === undefined) return new Float32Array();
  const steps = await (await voice).hear(sound.slice(0, block.frames));
  return Float32Array.from(steps, ({ probability }) => probability);
}

function open(id: number, sampleRate: number): void {
  network ??= loadVoiceNetwork(modelsDir);
  const voice = network.then(openLiveVoice);
  // Told with the first answer, and tried again for the next track.
  voice.catch(() => (network = null));
  const given = { sampleRate, channels: 1, layout: usualLayout(1) };
  const converter = createFormatConverter(given, { sampleRate: speechRate, channels: 1 });
  tracks.set(id, { converter, voice, last: voice.catch(() => undefined) });
}

async function close({ converter, last }: Track): Promise<void> {
  await last;
  converter.close();
}

process.on('message', (message: ToVoices) => {
  if ('open' in message) return open(message.open, message.sampleRate);
  const id = 'close' in message ? message.close : message.hear;
  const track = tracks.get(id);
  if (track === undefined) return;
  if ('close' in message) {
    tracks.delete(id);
    void close(track).catch(() => undefined);
    return;
  }
  track.last = track.last
    .then(async () => hear(track, message.samples))
    .then(
      (probabilities) => tell({ track: id, probabilities }),
      (thrown: unknown) => tell({ track: id, error: EarshotError.from(thrown).toJSON() }),
    );
});
process.once('disconnect', () => process.exit());
// Requests do not wait for it; jobs do.
setPriority(niceness);
