// What Earshot makes of a recording, to be heard on the first screen: before and after at one loudness, its fillers
// marked, its words cut by a press. Made by scripts/write-example.ts and scripts/example.mjs.
import { html, type Html } from '../../../../library/core/markup.ts';
import type { Example } from '../../../../site/front/example-data.ts';
import { formatTime } from '../../../../site/time-ranges.ts';
import { icon } from '../frame/icon.ts';
import type { Page, Site } from '../frame/site.ts';
import { fill } from '../language/fill.ts';

const sounds = ['example-before.mp3', 'example-after.mp3'] as const;

/** null where the website was built without its sounds, which need the models. */
export async function readExample({ assets }: Site): Promise<Example | null> {
  const asset = await assets.read(assets.nameOf('example.json'));
  return asset === null ? null : (JSON.parse(asset.bytes.toString()) as Example);
}

/** The strip with player, waveform and words. */
export function exampleStrip(page: Page, example: Example): Html {
  const { t, href, language } = page;
  const { front } = t;
  const [before, after] = sounds.map((name) => page.asset(name));
  const { seconds, cuts } = example;
  const end = formatTime(seconds);
  return html`<section
    class="strip example"
    id="example"
    aria-labelledby="example-title"
    data-before="${before}"
    data-after="${after}"
    data-about="${page.asset('example.json')}"
    data-recording="${page.asset('talk.opus')}"
    data-editor="${href('/edit')}"
    data-side="a"
  >
    <div class="wrap transport">
      <button class="btn only l ink" type="button" data-play data-pause="${t.bench.pause}" aria-label="${t.bench.play}">
        ${icon('play')}${icon('pause')}
      </button>
      <div>
        <h2 id="example-title" class="label">${fill(front.example, { seconds: language.number(seconds) })}</h2>
        <p
          class="small soft"
          role="status"
          data-failed="${front.exampleFailed}"
          data-cuts="${JSON.stringify(front.exampleCut)}"
          data-whole="${front.exampleWhole}"
        >
          ${fill(front.exampleHelp, { n: language.number(cuts.length) })}
        </p>
      </div>
      <fieldset class="ab push">
        <legend class="sr">${t.bench.listenTo}</legend>
        <div class="seg calm">
          <label><input type="radio" name="example-side" value="a" checked /><b>A</b> ${t.bench.playA}</label>
          <label><input type="radio" name="example-side" value="b" /><b>B</b> ${t.bench.playB}</label>
        </div>
      </fieldset>
      <p class="time"><span data-now>0:00.0</span> <small>/ ${end}</small></p>
    </div>
    <div
      class="wave m"
      role="slider"
      tabindex="0"
      aria-label="${t.bench.position}"
      aria-valuemin="0"
      aria-valuemax="${seconds}"
      aria-valuenow="0"
      aria-valuetext="${fill(t.bench.positionText, { at: '0:00.0', end })}"
      data-text="${t.bench.positionText}"
    >
      ${waveform(example)}
    </div>
    <div class="wrap">
      <p class="said" lang="en" role="group" aria-label="${front.exampleWords}">${words(example)}</p>
      <p class="small soft row">
        <span class="with-script">${front.exampleWords}</span>
        <button class="btn s push with-script" type="button" data-edit>${icon('pen')}${front.exampleEdit}</button>
      </p>
      <noscript>
        <p><audio controls preload="none" src="${before}" aria-label="${t.bench.playA}"></audio></p>
        <p><audio controls preload="none" src="${after}" aria-label="${t.bench.playB}"></audio></p>
      </noscript>
    </div>
  </section>`;
}

/** The result in ink, the recording pale behind it; the script moves the play head and draws what is cut. */
function waveform({ waveforms, seconds, cuts }: Example): Html {
  const marks = (name: string): readonly Html[] =>
    cuts.map(
      ([from, to]) =>
        html`<rect
          class="${name}"
          x="${`${(from / seconds) * 100}%`}"
          width="${`${((to - from) / seconds) * 100}%`}"
          height="100%"
        />`,
    );
  return html`<svg class="w" aria-hidden="true">
    <defs>
      <pattern id="hatch" width="7" height="7" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
        <path class="hatch-l" d="M0 0v7" />
      </pattern>
    </defs>
    <g data-bands>${marks('band')}</g>
    <svg width="100%" height="100%" viewBox="0 0 700 200" preserveAspectRatio="none">
      <path class="of-before" d="${waveforms.before}" />
      <path class="of-after" d="${waveforms.after}" />
    </svg>
    <g data-hatches>${marks('cut')}</g>
    <line class="head-l" data-head x1="0" x2="0" y1="0" y2="100%" />
  </svg>`;
}

const words = ({ transcript, cuts }: Example): readonly Html[] =>
  transcript.sentences.flatMap(({ words: said }) =>
    said.map(({ text, startSeconds, endSeconds }) => {
      const middle = (startSeconds + endSeconds) / 2;
      const cut = cuts.find(([from, to]) => from < middle && middle < to);
      const [from, to] = cut ?? [startSeconds, endSeconds];
      return html`<span class="${cut === undefined ? 'word' : 'word is-cut'}" data-from="${from}" data-to="${to}"
        >${text}</span
      > `;
    }),
  );

/** What was measured of the files that are heard. */
export function exampleFigures({ t, language }: Page, { measured, cuts }: Example): Html {
  const { front } = t;
  const figure = (value: number): string => language.number(value, 1).replace('-', '−');
  const removed = cuts.reduce((sum, [from, to]) => sum + to - from, 0);
  const { recorded, before, after } = measured;
  return html`<section class="wrap section" aria-labelledby="figures">
    <h2 id="figures">${front.figures}</h2>
    <p class="soft">${front.figuresHelp}</p>
    <ul class="figs section">
      <li>
        <b>${figure(before.noiseFloorDbfs)} → ${figure(after.noiseFloorDbfs)} dBFS</b>
        <p class="small">${front.floor}</p>
      </li>
      <li>
        <b>${figure(recorded.integratedLufs)} → ${figure(after.integratedLufs)} LUFS</b>
        <p class="small">${fill(front.loudness, { peak: figure(after.truePeakDbtp) })}</p>
      </li>
      <li>
        <b>−${figure(removed)} s</b>
        <p class="small">${fill(front.removed, { n: language.number(cuts.length) })}</p>
      </li>
    </ul>
  </section>`;
}
