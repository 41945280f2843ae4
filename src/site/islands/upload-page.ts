// The script of the upload page: names the file if it has no name yet, sends it in one PUT or in parts, and shows the
// progress.
import type { ConnectionError } from '../../client/errors.ts';
import { createRequests } from '../../client/request.ts';
import { sendOverXhr } from '../../client/send-body.ts';
import { sendInto } from '../../client/send-parts.ts';
import { partsOfWhole } from '../../client/upload-source.ts';
import type { NamedTicket, PageTicket } from '../upload-page/page-ticket.ts';
import { createMeter, formatBytes, whyNot } from '../upload-page/progress.ts';

const requests = createRequests({
  baseUrl: location.origin,
  fetch: (...call) => fetch(...call),
  sendBody: sendOverXhr(),
  retry: { attempts: 8, longestWaitSeconds: Infinity },
});

const element = (id: string): HTMLElement => document.getElementById(id) as HTMLElement;

const input = element('file') as HTMLInputElement;
const bar = element('bar') as HTMLProgressElement;
const [choose, drop, expected, sending] = [
  element('choose'),
  element('drop'),
  element('expected'),
  element('sending'),
] as const;
const [state, problem, again] = [element('state'), element('problem'), element('again')] as const;

let ticket = JSON.parse(element('data').textContent) as PageTicket;
let current: File | null = null;

function say(text: string): void {
  if (state.textContent !== text) state.textContent = text;
}

function complain(text: string, canRetry: boolean): void {
  problem.textContent = text;
  problem.hidden = false;
  again.hidden = !canRetry;
  if (canRetry) again.focus();
  say('');
}

function finish(name: string | null): void {
  choose.hidden = true;
  element('speed').textContent = '';
  state.className = 'done';
  say(`✓ ${name ?? 'The file'} was uploaded. You can close this page.`);
  document.title = 'Uploaded';
}

const onRetry = (): void => say('The connection is unstable. Retrying…');

/** Makes a link one of the host that the page came from: the service may be known by several names. */
const ownLink = (url: string): string => url.replace(/^https?:\/\/[^/]+/, location.origin);

/** Gives the file of the link its name and size. */
async function nameFile(file: File): Promise<void> {
  const {
    upload,
    multipart,
    file: named,
  } = await requests.json<NamedTicket>({
    method: 'POST',
    to: ticket.nameUrl,
    json: {
      filename: file.name.slice(0, 255),
      sizeBytes: file.size,
      ...(file.type ? { contentType: file.type.slice(0, 100) } : {}),
    },
    onRetry,
  });
  ticket = { ...ticket, upload, multipart, filename: named.filename, sizeBytes: named.sizeBytes };
}

/** Sends the bytes; parts that have arrived through an earlier page stay. */
async function send(file: File): Promise<void> {
  const mayHaveArrived = ticket.multipart !== null;
  if (ticket.upload === null && ticket.multipart === null) await nameFile(file);
  const { upload, multipart } = ticket;
  const meter = createMeter(file.size, () => performance.now());
  await sendInto(
    requests,
    partsOfWhole(file),
    {
      upload: upload && { url: ownLink(upload.url), headers: upload.headers },
      multipart: multipart && {
        ...multipart,
        partUrl: ownLink(multipart.partUrl),
        completeUrl: ownLink(multipart.completeUrl),
      },
    },
    {
      sizeBytes: file.size,
      mayHaveArrived,
      onSent(sentBytes) {
        const { fraction, bytesPerSecond } = meter(sentBytes);
        bar.value = fraction;
        element('percent').textContent = `${Math.floor(fraction * 100)} %`;
        element('speed').textContent = bytesPerSecond > 0 ? `${formatBytes(bytesPerSecond)}/s` : '';
        say(multipart !== null && fraction === 1 ? 'Joining the parts…' : 'Sending…');
      },
      onRetry,
    },
  );
}

async function start(file: File): Promise<void> {
  problem.hidden = true;
  again.hidden = true;
  const reason = whyNot(file, ticket);
  if (reason !== null) return complain(reason, false);
  current = file;
  choose.hidden = true;
  expected.hidden = true;
  sending.hidden = false;
  element('name').textContent = `${file.name} (${formatBytes(file.size)})`;
  say('Sending…');
  const leaving = (event: Event): void => event.preventDefault();
  addEventListener('beforeunload', leaving);
  try {
    await send(file);
    finish(file.name);
  } catch (error) {
    const { code, message } = error as Partial<ConnectionError>;
    complain(code === 'connection' ? 'The connection failed.' : (message ?? String(error)), true);
  } finally {
    removeEventListener('beforeunload', leaving);
  }
}

input.addEventListener('change', () => {
  const file = input.files?.[0];
  // Choosing the same file again must also be a change event.
  input.value = '';
  if (file) void start(file);
});
again.addEventListener('click', () => {
  if (current !== null) void start(current);
});
for (const name of ['dragenter', 'dragover']) {
  addEventListener(name, (event) => {
    event.preventDefault();
    drop.classList.add('over');
  });
}
addEventListener('dragleave', (event) => {
  if (event.relatedTarget === null) drop.classList.remove('over');
});
addEventListener('drop', (event) => {
  event.preventDefault();
  drop.classList.remove('over');
  if (choose.hidden) return;
  const [file, ...others] = event.dataTransfer?.files ?? [];
  if (others.length > 0) complain('Only one file can be uploaded here.', false);
  else if (file !== undefined) void start(file);
});

if (ticket.status === 'processing' || ticket.status === 'ready') finish(ticket.filename);
else if (ticket.status !== 'awaiting_upload') {
  choose.hidden = true;
  complain(
    ticket.status === 'invalid' ? 'The file was uploaded, but it cannot be read.' : 'This upload was stopped.',
    false,
  );
} else if (ticket.filename !== null) {
  const size = ticket.sizeBytes === null ? '' : ` (${formatBytes(ticket.sizeBytes)})`;
  expected.textContent = `Expected: ${ticket.filename}${size}`;
  expected.hidden = false;
}
