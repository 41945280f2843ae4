import { type ChildProcess, spawn } from 'node:child_process';
import type { LiveVoices, VoiceTrack } from '../../contract/live-voices.ts';
import { EarshotError } from '../../core/errors/errors.ts';
import { ownSession } from '../../core/machine/child-processes.ts';
import type { FromVoices, ToVoices } from '../channel/voice-messages.ts';
import { ownProcess } from '../process/own-process.ts';

/** How long the process waits for another track. */
const lingerMs = 30_000;
/** A piece of sound is given to so many processes, one after the other. */
const mostTries = 2;
const tailCharacters = 4096;

/** Its process has ended. */
interface Lost {
  readonly stderrTail: string;
}
type Answer = Float32Array | EarshotError | Lost;

/** A process, and who waits for its answers: by track, in order. */
interface Listener {
  readonly process: ChildProcess;
  readonly waiting: Map<number, ((answer: Answer) => void)[]>;
}

/**
 * Listens for voices in one process for all tracks, which is there while there are any. After its end, tracks go on in
 * another one, which knows nothing of the sound before.
 * @param modelsDir null: the models' own default place
 */
export function createLiveVoices(modelsDir: string | null): LiveVoices {
  let current: Listener | null = null;
  let [tracks, open] = [0, 0];
  let linger: NodeJS.Timeout | undefined;

  const end = (): void => {
    current?.process.kill('SIGKILL');
    current = null;
  };
  const listener = (): Listener => (current ??= start(modelsDir, (ended) => current === ended && (current = null)));

  function openTrack(sampleRate: number): VoiceTrack {
    const id = (tracks += 1);
    open += 1;
    clearTimeout(linger);
    let [heardBy, isOpen] = [null as Listener | null, true];
    const ask = (samples: Int16Array): Promise<Answer> =>
      new Promise((resolve) => {
        const now = listener();
        if (heardBy !== now) tell(now, { open: id, sampleRate });
        heardBy = now;
        const waiting = now.waiting.get(id) ?? [];
        now.waiting.set(id, waiting);
        waiting.push(resolve);
        tell(now, { hear: id, samples });
      });
    return {
      async hear(samples) {
        for (let tries = 1; ; tries += 1) {
          const answer = await ask(samples);
          if (answer instanceof Float32Array) return answer;
          if (answer instanceof EarshotError) throw answer;
          if (tries < mostTries) continue;
          throw new EarshotError('internal_error', 'The process that listens for voices has ended', {
            details: { stderrTail: answer.stderrTail },
          });
        }
      },
      close() {
        if (!isOpen) return;
        isOpen = false;
        open -= 1;
        if (heardBy !== null && heardBy === current) tell(heardBy, { close: id });
        heardBy?.waiting.delete(id);
        if (open === 0) linger = setTimeout(end, lingerMs).unref();
      },
    };
  }

  return {
    open: openTrack,
    close() {
      clearTimeout(linger);
      end();
    },
  };
}

/** What cannot be sent is lost with the process, whose end is told. */
const tell = ({ process }: Listener, message: ToVoices): void => {
  if (process.connected) process.send(message, () => undefined);
};

function start(modelsDir: string | null, onEnd: (ended: Listener) => void): Listener {
  const { path, arguments: given, environment } = ownProcess('library/runtime/job/voice-process');
  const process = spawn(path, [...given, ...(modelsDir === null ? [] : [modelsDir])], {
    env: environment,
    ...ownSession(),
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    serialization: 'advanced',
  });
  const made: Listener = { process, waiting: new Map() };
  let said = '';
  process.stderr?.setEncoding('utf8').on('data', (text: string) => (said = (said + text).slice(-tailCharacters)));
  process.on('message', (message: FromVoices) => {
    made.waiting.get(message.track)?.shift()?.(
      'error' in message ? EarshotError.fromJSON(message.error) : message.probabilities,
    );
  });
  let isOver = false;
  const over = (how: EarshotError | Lost): void => {
    if (isOver) return;
    isOver = true;
    onEnd(made);
    for (const answers of made.waiting.values()) for (const answer of answers.splice(0)) answer(how);
  };
  process.once('error', ({ message }) => over(new EarshotError('internal_error', message)));
  process.once('exit', () => over({ stderrTail: said }));
  // Servers and sockets keep the calling process alive, not this.
  process.unref();
  process.channel?.unref();
  (process.stderr as { unref?(): void } | null)?.unref?.();
  return made;
}
