// Shows the progress of a run: sending, running, done, failed.
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { ownAddress } from '../account/requests.ts';
import type { HereRun, RunOutput, RunRecord } from '../bench-data.ts';
import { handOver } from '../handing-over.ts';
import type { Measured } from '../loudness.ts';
import { formatTime } from '../time-ranges.ts';
import * as icons from '../icons.ts';
import { fill, Icon, Note, shownBytes } from '../ui.tsx';
import type { Draw } from '../waveform.ts';
import { Player, type Side } from './player.tsx';
import { BatchTable } from './batch-table.tsx';
import { Choice } from './choice.tsx';
import { data, items, spokenCredits, t, theRecording } from './items.ts';
import { fileOf, isPrice, peaksUrl, price } from './own.ts';
import { help, said, saidOf } from './said.ts';
import { Words } from './words.tsx';
import { again, cancel, phase, runWhole, stageTitle, tryAgain } from './state.ts';

export function Stage(): JSX.Element | null {
  const now = phase.value;
  if (now.name === 'choose') return null;
  if (now.name === 'sending')
    return <Progress title={t.sending} share={now.share} left={null} note={now.broken ? t.unstable : t.stay} />;
  if (now.name === 'running') {
    const { progress, estimatedSecondsLeft } = now.run;
    const note = now.broken ? t.unstable : now.run.here ? t.hereStay : data.own === null ? t.keepOpen : t.keepOpenOwn;
    return <Progress title={stageTitle(now.run)} share={progress} left={estimatedSecondsLeft} note={note} />;
  }
  if (now.name === 'done') return <Result run={now.run} />;
  if (now.name === 'batch') return <BatchTable />;
  return (
    <div class="panel pad stack" tabIndex={-1} data-focus="">
      {now.name === 'waiting' ? (
        <Note kind="mark" title={t.waitsTitle}>
          <p>{now.message}</p>
          {now.finishUrl !== null && (
            <p>
              <a class="btn go" href={now.finishUrl}>
                {t.theRest}
              </a>
            </p>
          )}
        </Note>
      ) : (
        <Note kind={now.cancelled ? '' : 'fault'} title={now.cancelled ? t.cancelled : t.failedTitle}>
          {!now.cancelled && (
            <>
              <p class="name break">{chosenNames()}</p>
              <p>{now.problem.code === 'connection' ? t.lost : said(now.problem)}</p>
              <p>{help(now.problem)}</p>
              <p>{t.useBack}</p>
              <p class="soft">
                <code>{now.problem.code}</code>
              </p>
            </>
          )}
        </Note>
      )}
      <p class="row">
        {now.name === 'failed' && now.problem.retryable === true && (
          <button class="btn go" type="button" onClick={() => void tryAgain()}>
            {t.tryAgain}
          </button>
        )}
        {now.name === 'failed' && <WayOut code={now.problem.code} />}
        {now.name === 'failed' && ofFile.test(now.problem.code) && (
          <button
            class="btn go"
            type="button"
            onClick={() => {
              items.value = {};
              again();
            }}
          >
            {t.chooseOther}
          </button>
        )}
        <button class="btn" type="button" onClick={again}>
          {t.again}
        </button>
      </p>
    </div>
  );
}

/** Codes of errors that another file mends. */
const ofFile = /^(?:file_(?!not)|unsupp|wrong_f|no_au)/;

const chosenNames = (): string =>
  Object.values(items.value)
    .flat()
    .map(({ name }) => name)
    .join(', ');

/** The page on which a person can do something about it, beside this one with the file. */
function WayOut({ code }: { readonly code: string }): JSX.Element | null {
  const [url, name] =
    code === 'unauthorized'
      ? [data.signIn, t.signIn]
      : code === 'insufficient_balance' && data.own !== null
        ? [data.own.credits, t.buy]
        : [null, ''];
  return url === null ? null : (
    <a class="btn go" href={url} target="_blank" rel="noopener">
      {name}
    </a>
  );
}

interface ProgressProps {
  readonly title: string;
  readonly share: number;
  readonly left: number | null;
  readonly note: string;
}

function Progress({ title, share, left, note }: ProgressProps): JSX.Element {
  const percent = Math.floor(share * 100);
  const names = [...new Set(Object.values(items.value).flatMap((list) => list.map(({ name }) => name)))];
  return (
    <div class="panel" aria-busy="true">
      <div class="panel-head">
        <h2 class="label break fn" tabIndex={-1} data-focus="">
          {names.join(', ')}
        </h2>
        <button class="btn s push" type="button" onClick={() => void cancel()}>
          <Icon of={icons.stop} />
          {t.cancel}
        </button>
      </div>
      <div class="pad prog">
        <div class="line">
          <p>
            <b>{title}</b> <span class="num soft">{percent} %</span>
          </p>
          {left !== null && <p class="small">{fill(t.left, { time: spokenTime(left) })}</p>}
        </div>
        <progress max={100} value={percent} aria-label={title} />
        <p class="small soft">{note}</p>
      </div>
    </div>
  );
}

/** "40 s", "4:10 min", "1:04:10 h". */
const spokenTime = (seconds: number): string =>
  seconds < 90 ? `${Math.ceil(seconds)} s` : `${formatTime(seconds, 0)} ${seconds < 3600 ? 'min' : 'h'}`;

/** Of credits: one is a cent. */
const money = (credits: number): string =>
  (credits / 100).toLocaleString(data.language, { style: 'currency', currency: 'USD' });

const partFree = fill(t.partFree, { length: data.freeLength ?? '' });

/** The two files of a preview; null: it is another run. */
function passageOf({ outputs, result }: RunRecord): readonly [before: RunOutput, after: RunOutput] | null {
  const [before, after] = outputs;
  const isPassage = typeof result === 'object' && result !== null && 'preview' in result;
  return isPassage && before !== undefined && after !== undefined ? [before, after] : null;
}

function Result({ run }: { readonly run: RunRecord }): JSX.Element {
  const passage = passageOf(run);
  const main = passage?.[1] ?? run.outputs[0];
  const isPlayable = main !== undefined && (main.hasAudio || main.hasVideo);
  const listed = isPlayable ? null : data.listed;
  return (
    <div class="panel">
      <div class="panel-head">
        <h2 class="label break fn" tabIndex={-1} data-focus="">
          {main?.filename ?? t.report}
        </h2>
        <span class="tag push">
          <Icon of={icons.check} />
          {t.done}
        </span>
      </div>
      {isPlayable && (
        <Compared
          output={main}
          here={run.here}
          was={passage?.[0] ?? null}
          stretch={run.free && passage === null ? run.processedSeconds : null}
        />
      )}
      <Words outputs={run.outputs} />
      {listed !== null && <Choice run={run} script={listed} />}
      {run.warnings.length > 0 && (
        <div class="pad">
          <Note kind="" title={t.notes}>
            {saidOf(run).map((text) => (
              <p key={text}>{text}</p>
            ))}
          </Note>
        </div>
      )}
      <div class="panel-foot">
        {run.outputs.map((output, index) => (
          <a
            key={output.id}
            class={`btn l ${index === 0 && listed === null ? 'go' : ''}`}
            href={ownAddress(output.url)}
            download={output.filename}
            // Chromium saves what is dragged to the desktop under its name.
            onDragStart={({ currentTarget: { href }, dataTransfer }) =>
              dataTransfer?.setData('DownloadURL', `${output.contentType}:${output.filename}:${href}`)
            }
          >
            <Icon of={icons.down} />
            {t.download} {run.outputs.length > 1 && <span>{output.filename.split('.').at(-1)?.toUpperCase()}</span>}
            {output.sizeBytes !== null && <span class="num">{shownBytes(output.sizeBytes, data.language)}</span>}
          </a>
        ))}
        <button class="btn l" type="button" onClick={again}>
          {t.again}
        </button>
      </div>
      {run.nextStep !== undefined && (
        <div class="pad">
          <Note kind="mark" title={partFree}>
            {run.finishUrl !== undefined && (
              <p>
                <a class="btn" href={run.finishUrl}>
                  {t.theRest}
                </a>{' '}
                {run.finishPriceCredits !== undefined && fill(t.restFor, { price: money(run.finishPriceCredits) })}
              </p>
            )}
          </Note>
        </div>
      )}
      {run.here && <p class="pad small soft">{t.hereDone}</p>}
      {data.own !== null && (run.free || passage !== null) && <RestOfIt isPassage={passage !== null} />}
      {run.result !== null && (
        <details class="pad" open={!isPlayable && listed === null && run.outputs.length === 1}>
          <summary>{t.report}</summary>
          <div class="code">
            <pre tabIndex={0}>
              <code>{JSON.stringify(run.result, null, 2)}</code>
            </pre>
          </div>
        </details>
      )}
      {main !== undefined && passage === null && <EditByWords output={main} isPlayable={isPlayable} />}
      {main !== undefined && passage === null && isPlayable && <Next output={main} />}
    </div>
  );
}

/** After the free part of a file of the account, or a passage: all of it, for its price. */
function RestOfIt({ isPassage }: { readonly isPassage: boolean }): JSX.Element | null {
  const known = price.value;
  if (!isPrice(known) || (!isPassage && known.free.seconds >= known.seconds - 0.5)) return null;
  return (
    <div class="pad">
      <Note kind="mark" title={isPassage ? t.passageOnly : partFree}>
        <p>
          <button class="btn" type="button" onClick={() => void runWhole()}>
            {fill(t.startFor, { title: t.theRest, price: spokenCredits(known.credits) })}
          </button>
        </p>
      </Note>
    </div>
  );
}

interface ComparedProps {
  readonly output: RunOutput;
  /** The run, if it was done in this browser. */
  readonly here: HereRun | undefined;
  /** What it was; null: what was chosen on this page. */
  readonly was: RunOutput | null;
  /** Seconds of the recording that were processed, from its start; null: all of it. */
  readonly stretch: number | null;
}

/** Before and after, played, drawn and measured in the same way: what was processed, and what became of it. */
function Compared({ output, here, was, stretch }: ComparedProps): JSX.Element {
  const item = was === null ? theRecording() : null;
  const file = item?.file ?? null;
  const kept = was ?? (item === null ? null : fileOf(item));
  const url = ownAddress(output.url);
  const before = useSignal<Side | null>(null);
  const after = useSignal<Side>({ url, analysed: null });
  const looked = useSignal(false);
  const drawn = useSignal<Draw | null>(null);
  useEffect(() => {
    const local = file === null ? null : URL.createObjectURL(file);
    const from =
      was === null ? (local ?? (data.own && kept && `${data.own.files}/${kept.id}/content`)) : ownAddress(was.url);
    const look = async (): Promise<void> => {
      const { analyse, draw } = (await import(data.analyse)) as typeof import('../islands/analyse.ts');
      drawn.value = draw;
      const source = kept === null ? null : { url: from ?? '', bytes: kept.sizeBytes ?? 0, peaks: peaksUrl(kept.id) };
      // One after the other: a decoded sound takes much memory.
      const lookAt = async (sound: File) => (await here?.analyse(sound)) ?? analyse(sound, stretch);
      const own = file === null ? null : await lookAt(file);
      const a = own ?? (source && (await analyse(source, stretch)));
      const b = output.file
        ? await lookAt(output.file)
        : await analyse({ url, bytes: output.sizeBytes ?? 0, peaks: peaksUrl(output.id) }, null);
      if (from !== null && a !== null) before.value = { url: from, analysed: a };
      after.value = { url, analysed: b };
      looked.value = true;
    };
    void look().catch(() => void (looked.value = true));
    return () => {
      if (local !== null) URL.revokeObjectURL(local);
    };
  }, [url, file, kept?.id, stretch]);
  const measured = after.value.analysed?.measured ?? null;
  return (
    <>
      <Player before={before.value} after={after.value} isVideo={output.hasVideo} draw={drawn.value} />
      {looked.value && measured === null && (
        <p class="pad small soft">{after.value.analysed === null ? t.tooLong : t.tooLongToMeasure}</p>
      )}
      {measured !== null && <Figures before={before.value?.analysed?.measured ?? null} after={measured} />}
    </>
  );
}

type Figure = readonly [
  name: string,
  unit: string,
  changeUnit: string,
  digits: number,
  read: (measured: Measured) => number | null,
];

const figures: readonly Figure[] = [
  [t.floor, 'dBFS', 'dB', 1, ({ noiseFloorDbfs }) => noiseFloorDbfs],
  [t.loudness, 'LUFS', 'LU', 1, ({ integratedLufs }) => integratedLufs],
  [t.peak, 'dBFS', 'dB', 1, ({ samplePeakDbfs }) => samplePeakDbfs],
  [t.length, 's', 's', 3, ({ seconds }) => seconds],
];

function Figures({ before, after }: { readonly before: Measured | null; readonly after: Measured }): JSX.Element {
  const cell = (value: number | null, digits: number, unit: string, sign = false): JSX.Element | string =>
    value === null ? (
      '–'
    ) : (
      <>
        {(sign && value > 0 ? '+' : '') + value.toFixed(digits).replace('-', '−')} <span class="u">{unit}</span>
      </>
    );
  return (
    <div class="pad">
      <div class="scroll-x" tabIndex={0} role="region" aria-label={t.measured}>
        <table class="meas">
          <thead>
            <tr>
              <th scope="col">{t.measured}</th>
              {before !== null && <th scope="col">{t.before}</th>}
              <th scope="col">{t.after}</th>
              {before !== null && <th scope="col">{t.changed}</th>}
            </tr>
          </thead>
          <tbody>
            {figures.map(([name, unit, changeUnit, digits, read]) => {
              const [a, b] = [before === null ? null : read(before), read(after)];
              return (
                <tr key={name}>
                  <th scope="row">{name}</th>
                  {before !== null && <td>{cell(a, digits, unit)}</td>}
                  <td>{cell(b, digits, unit)}</td>
                  {before !== null && (
                    <td class="d">{cell(a === null || b === null ? null : b - a, digits, changeUnit, true)}</td>
                  )}
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
    </div>
  );
}

/** On to the editor: with a sound, or with a transcript and the recording that it is of. */
function EditByWords({ output, isPlayable }: { readonly output: RunOutput; readonly isPlayable: boolean }) {
  const isText = output.filename.endsWith('.json') && data.transcribes;
  const file = theRecording()?.file ?? null;
  const isOwn = data.own !== null && !output.file;
  if (!isPlayable && !(isText && (isOwn || file !== null))) return null;
  const go = async (): Promise<void> => {
    if (isOwn) return location.assign(`${data.editor}/${output.id}`);
    const made = await fileOfOutput(output);
    if (await handOver(isText && file !== null ? [file, made] : [made])) location.assign(data.editor);
  };
  return (
    <p class="pad">
      <button class="btn" type="button" onClick={() => void go()}>
        <Icon of={icons.cut} />
        {t.editByWords}
      </button>
    </p>
  );
}

const fileOfOutput = async ({ file, url, filename, contentType }: RunOutput): Promise<File> =>
  file ?? new File([await (await fetch(ownAddress(url))).blob()], filename, { type: contentType });

/** Passes the result to another tool without saving it. */
function Next({ output }: { readonly output: RunOutput }): JSX.Element {
  const go = async (url: string): Promise<void> => {
    // The account has it already: nothing is sent.
    if (data.own !== null && !output.file) return location.assign(`${url}?file=${output.id}`);
    if (await handOver([await fileOfOutput(output)])) location.assign(url);
  };
  return (
    <section class="pad stack-s" aria-labelledby="next">
      <h2 class="h4" id="next">
        {t.next}
      </h2>
      <div class="next">
        {data.next.map(({ title, url }) => (
          <button key={url} class="btn s" type="button" onClick={() => void go(url)}>
            {title}
          </button>
        ))}
      </div>
    </section>
  );
}
