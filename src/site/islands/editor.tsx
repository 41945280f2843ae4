// The editor: sound by its words.
import { batch, signal } from '@preact/signals';
import { type JSX, render } from 'preact';
import { useEffect } from 'preact/hooks';
import { unpackHistory } from '../../library/speech/word-edit/packed-history.ts';
import { problemOf, requests } from '../account/requests.ts';
import type { UploadState } from '../account/upload.ts';
import { accountSource } from '../editor/account-source.ts';
import { CaptionLane } from '../editor/captions.tsx';
import { Chooser } from '../editor/chooser.tsx';
import { deviceSource } from '../editor/device-source.ts';
import type { GivenTranscript } from '../editor/doc.ts';
import { Bar, Foot, KeyMap, NoText } from '../editor/frame.tsx';
import { copyWords, pageKeys } from '../editor/keys.ts';
import { languageClass, Languages } from '../editor/languages.tsx';
import { data, t } from '../editor/page-data.ts';
import { sound } from '../editor/playback.ts';
import { failureOf } from '../editor/requests.ts';
import { goOn, run, work } from '../editor/running.ts';
import { keepSaving } from '../editor/saving.ts';
import { Beside, besidePixels } from '../editor/beside.tsx';
import { openSound } from '../editor/sound.ts';
import { Failure, type Source } from '../editor/source.ts';
import { doc, history, peaks, peaksLooked, showFrom, source, takeTranscript, told } from '../editor/state.ts';
import { FindBar } from '../editor/find-bar.tsx';
import { SelectionBar } from '../editor/selection-bar.tsx';
import { SharesDialog } from '../editor/shares.tsx';
import { Text } from '../editor/text.tsx';
import { VersionsDialog } from '../editor/versions.tsx';
import { WorkPanel } from '../editor/work-panel.tsx';
import { Detail, Overview, Transport } from '../editor/waves.tsx';
import { keepFocus } from '../focus.ts';
import { takeOver } from '../handing-over.ts';
import { fill, shownBytes } from '../ui.tsx';

const problem = signal('');
const ready = signal(false);

async function open(own: Source): Promise<void> {
  const [given, stored] = await Promise.all([own.transcript(), own.stored()]);
  batch(() => {
    source.value = own;
    if (given !== null) takeTranscript(given);
    if (stored !== null) history.value = unpackHistory(stored.edit, stored.history);
    showFrom(0, Math.min(30, own.frames / own.sampleRate));
    ready.value = true;
  });
  keepSaving(own, stored);
  void lookForPeaks(own);
  void goOn(own);
  void openSound(own)
    .then((samples) => (sound.value = samples))
    .catch(() => (sound.value = null));
}

/** Again and again while the connection or the session is lost: seams are placed by them. Else there are none. */
async function lookForPeaks(own: Source): Promise<void> {
  for (;;) {
    try {
      peaks.value = await own.peaks();
      peaksLooked.value = true;
      return;
    } catch (thrown) {
      if (!(thrown instanceof Failure) || !['connection', 'unauthorized'].includes(thrown.code))
        return void (peaksLooked.value = true);
      await new Promise((resolve) => setTimeout(resolve, 4000));
    }
  }
}

/** Of somebody who is signed in: it goes to the account, with what is done to it. */
const sendIn = (file: File): Promise<void> =>
  run(
    t.sending,
    async ({ signal, onState }) => {
      const { upload } = (await import(data.addresses.upload)) as typeof import('./upload.ts');
      const state = (share: number): void => onState({ share, secondsLeft: null });
      const onUpload = (now: UploadState): void => state(now.name === 'sending' ? now.share : 1);
      return upload(file, { requests, api: data.addresses.api, signal, onState: onUpload }).catch((thrown: unknown) => {
        throw failureOf(problemOf(thrown));
      });
    },
    ({ id }) => location.assign(`${data.addresses.editor}/${id}`),
  );

/**
 * @param given its transcript, from another page of this device
 * @param isKept it was opened on this device before
 */
async function take(file: File, given: GivenTranscript | null = null, isKept = false): Promise<void> {
  problem.value = '';
  if (file.size > data.mostBytes) {
    const [size, most] = [file.size, data.mostBytes].map((bytes) => shownBytes(bytes, data.language));
    const text = data.available === null ? t.tooLarge : t.tooLargeOwn;
    problem.value = fill(text, { name: file.name, size: size ?? '', most: most ?? '' });
    return;
  }
  if (data.available !== null && given === null && !isKept) return sendIn(file);
  try {
    await open(await deviceSource(file, given));
  } catch (thrown) {
    problem.value = (thrown as Error).message;
  }
}

function Editor(): JSX.Element {
  useEffect(() => {
    addEventListener('keydown', pageKeys);
    addEventListener('copy', copyWords);
    return () => {
      removeEventListener('keydown', pageKeys);
      removeEventListener('copy', copyWords);
    };
  }, []);
  if (!ready.value)
    return (
      <>
        <Bar />
        {data.file === null && data.addresses.tries !== null && (
          <Chooser take={(file, isKept) => void take(file, null, isKept)} problem={problem.value} />
        )}
        <WorkPanel />
      </>
    );
  return (
    <>
      <Bar />
      <div class="ed-wave">
        <Overview />
        <Transport />
        <Detail />
        <CaptionLane />
      </div>
      <FindBar />
      <div class="ed-main" style={{ '--ed-beside': `${besidePixels.value}px` }}>
        <div class={`ed-words ${languageClass.value}`}>
          <Languages />
          {doc.value === null ? <NoText /> : <Text />}
          <SelectionBar />
        </div>
        <Beside />
      </div>
      <WorkPanel />
      <Foot />
      <KeyMap />
      <VersionsDialog />
      <SharesDialog />
      <p class="sr" id="ed-text-help">
        {t.textHelp}
      </p>
      <p class="sr" role="status">
        {told.value}
      </p>
    </>
  );
}

const root = document.querySelector<HTMLElement>('#editor');
if (root !== null) {
  root.replaceChildren();
  root.removeAttribute('aria-busy');
  keepFocus(root);
  render(<Editor />, root);
  // For a file that falls beside the drop zone.
  addEventListener('dragover', (event) => event.preventDefault());
  addEventListener('drop', (event) => event.preventDefault());
  if (data.file === null) {
    const [file, words] = await takeOver();
    const given = words === undefined ? null : (JSON.parse(await words.text()) as GivenTranscript);
    if (file !== undefined) await take(file, given);
  } else
    await open(accountSource(data.file)).catch((thrown: unknown) => {
      work.value = {
        name: 'failed',
        failure: thrown instanceof Failure ? thrown : new Failure('failed', (thrown as Error).message),
      };
    });
}
