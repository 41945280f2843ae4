// Tracks in lanes over one ruler: what each is, how long and how loud, its waveform.
import { signal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { saidIn } from '../account/said.ts';
import type { Peaks } from '../peaks.ts';
import { formatTime } from '../time-ranges.ts';
import * as icons from '../icons.ts';
import { fill, Icon, plural } from '../ui.tsx';
import { type Role, roles } from './roles.ts';
import { Ruler } from './ruler.tsx';
import {
  arrivals,
  bring,
  complaint,
  data,
  draw,
  isOwn,
  longest,
  remove,
  setRole,
  sounds,
  texts,
  type Track,
  tracks,
} from './tracks.ts';

/** The track that is heard; null: none. */
const heard = signal<number | null>(null);
const over = signal(false);

export function Bench(): JSX.Element {
  const list = tracks.value;
  return (
    <>
      {list.length === 0 ? <DropZone /> : <Lanes list={list} />}
      <p class="err" role="alert" hidden={complaint.value === ''}>
        <Icon of={icons.warn} />
        {complaint.value}
      </p>
    </>
  );
}

function DropZone(): JSX.Element {
  return (
    <div
      class={`drop ${over.value ? 'over' : ''}`}
      onDragOver={(event) => {
        event.preventDefault();
        over.value = true;
      }}
      onDragLeave={() => void (over.value = false)}
      onDrop={() => void (over.value = false)}
    >
      <h2 class="drop-h">{data.drop}</h2>
      <div class="flatline" aria-hidden="true" />
      <div class="row">
        <Choose />
      </div>
      <p class="small soft">{data.help}</p>
    </div>
  );
}

/** A button over a field for files, which handles the keyboard. */
function Choose({ more = false }: { readonly more?: boolean }): JSX.Element {
  const several = data.maxFiles > 1;
  return (
    <span class={more ? 'push' : ''}>
      <input
        class="sr"
        id="choose"
        type="file"
        multiple={several}
        accept="audio/*,video/*"
        onChange={({ currentTarget }) => {
          bring([...(currentTarget.files ?? [])]);
          currentTarget.value = '';
        }}
      />
      <label class={more ? 'btn s' : 'btn go l'} for="choose">
        <Icon of={more ? icons.plus : icons.file} />
        <span>{more ? texts.addMore : several ? texts.choose : texts.chooseOne}</span>
      </label>
    </span>
  );
}

function Lanes({ list }: { readonly list: readonly Track[] }): JSX.Element {
  const seconds = longest.value;
  return (
    <section class="panel" tabIndex={-1} data-focus="" aria-labelledby="tracks-title">
      <div class="panel-head">
        <h2 class="label" id="tracks-title">
          {plural(data.language, texts.tracks, list.length)}
          {seconds > 0 && <span class="num">, {formatTime(seconds)}</span>}
        </h2>
        {list.length < data.maxFiles && <Choose more />}
      </div>
      <div class="lanes">
        {seconds > 0 && <Ruler seconds={seconds} />}
        <ul class="lane">
          {list.map((track) => (
            <Lane key={track.key} track={track} whole={seconds} />
          ))}
        </ul>
      </div>
    </section>
  );
}

function Lane({ track, whole }: { readonly track: Track; readonly whole: number }): JSX.Element {
  const { key, name, role, isGuess } = track;
  const sound = sounds.value[key];
  const isHeard = heard.value === key;
  const [seconds, lufs] = [sound?.seconds ?? null, sound?.lufs ?? null];
  return (
    <li class="lane">
      <div class="lane-h">
        <div class="row">
          <p class="name fn">{name}</p>
          <button
            class="btn only s quiet push"
            type="button"
            aria-label={fill(isHeard ? texts.stopHearing : texts.hear, { name })}
            onClick={() => void (heard.value = isHeard ? null : key)}
          >
            <Icon of={isHeard ? icons.pause : icons.play} />
          </button>
          <button
            class="btn only s quiet"
            type="button"
            aria-label={fill(texts.leaveOut, { name })}
            onClick={() => remove(track)}
          >
            <Icon of={icons.x} />
          </button>
        </div>
        <p class="xs soft">
          {seconds !== null && <span class="num">{formatTime(seconds)}</span>}
          {lufs !== null && <span class="num"> · {lufs.toFixed(1).replace('-', '−')} LUFS</span>}
        </p>
        {data.hasRoles && tracks.value.length > 1 && (
          <div class="row">
            <select
              class="input s"
              aria-label={fill(texts.role, { name })}
              value={role}
              onChange={({ currentTarget }) => setRole(track, currentTarget.value as Role)}
            >
              {roles.map((each) => (
                <option key={each} value={each}>
                  {texts.roles[each]}
                </option>
              ))}
            </select>
            {isGuess && <span class="xs soft">{texts.byName}</span>}
          </div>
        )}
        {isOwn && <Arriving trackKey={key} />}
      </div>
      <div class="wave">
        {sound?.peaks ? (
          <Wave peaks={sound.peaks} seconds={seconds ?? whole} whole={whole} />
        ) : (
          <div class="no-wave">
            <p class="xs soft">{seconds !== null && sound?.peaks === undefined ? texts.notDrawn : ''}</p>
          </div>
        )}
      </div>
      {isHeard && <audio src={track.url} autoplay onEnded={() => void (heard.value = null)} />}
    </li>
  );
}

/** The peaks of a track in the length of the longest: behind its end there is nothing. */
function padded(peaks: Peaks, seconds: number, whole: number): Peaks {
  if (whole <= seconds || seconds <= 0) return peaks;
  const longer = new Float32Array(2 * Math.round((peaks.length / 2) * (whole / seconds)));
  longer.set(peaks);
  return longer;
}

interface WaveProps {
  readonly peaks: Peaks;
  readonly seconds: number;
  readonly whole: number;
}

function Wave({ peaks, seconds, whole }: WaveProps): JSX.Element {
  const canvas = useRef<HTMLCanvasElement>(null);
  const drawing = draw.value;
  useEffect(() => {
    const most = peaks.reduce((found, value) => Math.max(found, Math.abs(value)), 1e-6);
    const show = (): void => {
      if (canvas.current !== null)
        drawing?.(canvas.current, { peaks: padded(peaks, seconds, whole), scale: 1 / Math.max(most, 0.05) });
    };
    show();
    addEventListener('resize', show);
    return () => removeEventListener('resize', show);
  }, [peaks, seconds, whole, drawing]);
  return <canvas ref={canvas} aria-hidden="true" />;
}

function Arriving({ trackKey }: { readonly trackKey: number }): JSX.Element {
  const arrival = arrivals.value[trackKey];
  if (arrival?.name === 'failed')
    return (
      <p class="err" role="alert">
        <Icon of={icons.warn} />
        {saidIn(data.errors, arrival.problem)}
      </p>
    );
  if (arrival?.name === 'sending') {
    const percent = Math.floor(100 * arrival.share);
    return (
      <div class="stack-s">
        <progress max={100} value={percent} aria-label={fill(texts.sending, { percent })} />
        <p class="xs soft">{arrival.isLost ? texts.sendingLost : fill(texts.sending, { percent })}</p>
      </div>
    );
  }
  const isHere = arrival?.name === 'ready';
  return (
    <p class="row xs soft">
      {isHere && <Icon of={icons.check} />}
      {isHere ? texts.arrived : arrival?.name === 'checking' ? texts.checking : texts.waiting}
    </p>
  );
}
