/** @import { PageTicket } from '../page-ticket.ts' */
import { createMeter, formatBytes, whyNot } from './progress.js';
import { nameFile, sendParts, sendWhole } from './transfer.js';

/*
 * The script of the upload page: names the file if it has no name yet, sends it in one PUT or in parts, and shows the
 * progress.
 */

/** @param {string} id */
const element = (id) => /** @type {HTMLElement} */ (document.getElementById(id));

const input = /** @type {HTMLInputElement} */ (element('file'));
const bar = /** @type {HTMLProgressElement} */ (element('bar'));
const [choose, drop, expected, sending, state, problem, again] = /** @type {const} */ ([
  element('choose'),
  element('drop'),
  element('expected'),
  element('sending'),
  element('state'),
  element('problem'),
  element('again'),
]);

/** @type {PageTicket} */
let ticket = JSON.parse(element('ticket').textContent ?? '');
/** @type {File | null} */
let current = null;

/** @param {string} text */
function say(text) {
  if (state.textContent !== text) state.textContent = text;
}

/**
 * @param {string} text
 * @param {boolean} canRetry
 */
function complain(text, canRetry) {
  problem.textContent = text;
  problem.hidden = false;
  again.hidden = !canRetry;
  if (canRetry) again.focus();
  say('');
}

/** @param {{ fraction: number, bytesPerSecond: number }} progress */
function show({ fraction, bytesPerSecond }) {
  bar.value = fraction;
  element('percent').textContent = `${Math.floor(fraction * 100)} %`;
  element('speed').textContent = bytesPerSecond > 0 ? `${formatBytes(bytesPerSecond)}/s` : '';
}

/** @param {string | null} name */
function finish(name) {
  choose.hidden = true;
  element('speed').textContent = '';
  state.className = 'done';
  say(`✓ ${name || 'The file'} was uploaded. You can close this page.`);
  document.title = 'Uploaded';
}

/** @param {File} file */
async function start(file) {
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
  /** @param {Event} event */
  const leaving = (event) => event.preventDefault();
  addEventListener('beforeunload', leaving);
  try {
    const resumed = ticket.multipart !== null;
    if (ticket.upload === null && ticket.multipart === null) ticket = await nameFile(file, ticket, say);
    const meter = createMeter(file.size, () => performance.now());
    /** @type {(piece: number, bytes: number) => void} */
    const onSent = (piece, bytes) => show(meter.set(piece, bytes));
    if (ticket.multipart !== null) await sendParts(file, ticket.multipart, resumed, onSent, say);
    else if (ticket.upload !== null) await sendWhole(file, ticket.upload, onSent, say);
    show(meter.set('all', file.size));
    finish(file.name);
  } catch (error) {
    complain(error instanceof Error ? error.message : String(error), true);
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
