/**
 * What the upload page does in the browser, as plain JavaScript without any import: names the file if nobody has yet,
 * sends it in one PUT or in parts (three at a time, each tried again when the line fails, those that have arrived left
 * out), and shows how far it is.
 */
export const uploadScript = String.raw`'use strict';
(() => {
  const ticket = JSON.parse(document.getElementById('ticket').textContent);
  const $ = (id) => document.getElementById(id);
  const partsAtOnce = 3;
  const attempts = 8;
  let current = null;

  class Refused extends Error {
    constructor(status, error, retryAfter) {
      super(error && error.message ? error.message : 'The server answered with status ' + status + '.');
      this.status = status;
      this.details = error && error.details ? error.details : {};
      this.retryAfter = retryAfter;
      this.mayTryAgain = status === 429 || status >= 500;
    }
  }
  class LineFailed extends Error {
    constructor() {
      super('The connection failed.');
      this.mayTryAgain = true;
    }
  }

  // Links are absolute; the page may have been reached under another name of the same server.
  const here = (url) => url.replace(/^https?:\/\/[^/]+/, '');

  function send(method, url, headers, body, onProgress) {
    return new Promise((resolve, reject) => {
      const request = new XMLHttpRequest();
      request.open(method, here(url));
      for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
      request.upload.onprogress = (event) => onProgress && onProgress(event.loaded);
      request.onerror = () => reject(new LineFailed());
      request.onabort = request.onerror;
      request.onload = () => {
        let answer = null;
        try {
          answer = JSON.parse(request.responseText);
        } catch {
          answer = null;
        }
        if (request.status >= 200 && request.status < 300) resolve(answer);
        else reject(new Refused(request.status, answer && answer.error, Number(request.getResponseHeader('Retry-After')) || 0));
      };
      request.send(body);
    });
  }

  const sendJson = (url, value) => send('POST', url, value === undefined ? {} : { 'Content-Type': 'application/json' }, value === undefined ? null : JSON.stringify(value));

  async function patiently(work) {
    for (let attempt = 1; ; attempt++) {
      try {
        return await work();
      } catch (error) {
        if (!error.mayTryAgain || attempt >= attempts) throw error;
        say('The connection is unsteady. Trying again…');
        await new Promise((resolve) => setTimeout(resolve, Math.max((error.retryAfter || 0) * 1000, Math.min(15000, 500 * 2 ** attempt))));
      }
    }
  }

  const units = (bytes) => {
    const names = ['bytes', 'kB', 'MB', 'GB', 'TB'];
    let index = 0;
    while (bytes >= 1000 && index < names.length - 1) {
      bytes /= 1000;
      index++;
    }
    return (index === 0 ? bytes : bytes.toFixed(bytes < 10 ? 1 : 0)) + '\u00a0' + names[index];
  };

  function say(text) {
    if ($('state').textContent !== text) $('state').textContent = text;
  }
  function complain(text, canRetry) {
    $('problem').textContent = text;
    $('problem').hidden = false;
    $('again').hidden = !canRetry;
    if (canRetry) $('again').focus();
    say('');
  }
  function calm() {
    $('problem').hidden = true;
    $('again').hidden = true;
  }

  /** Sums what has been sent by piece, and shows it, with the speed of the last five seconds. */
  function meter(total) {
    const sent = new Map();
    let seen = [];
    return {
      set(piece, bytes) {
        sent.set(piece, bytes);
        const sum = Math.min(total, [...sent.values()].reduce((a, b) => a + b, 0));
        const now = performance.now();
        seen = [...seen.filter(({ at }) => now - at < 5000), { at: now, sum }];
        const [first] = seen;
        const rate = now > first.at ? Math.max(0, ((sum - first.sum) * 1000) / (now - first.at)) : 0;
        const fraction = total > 0 ? sum / total : 1;
        $('bar').value = fraction;
        $('percent').textContent = Math.floor(fraction * 100) + ' %';
        $('speed').textContent = rate > 0 ? units(rate) + '/s' : '';
      },
    };
  }

  async function sendWhole(file, upload, progress) {
    await patiently(() => {
      progress.set(0, 0);
      return send('PUT', upload.url, upload.headers, file, (loaded) => progress.set(0, loaded));
    });
  }

  async function sendParts(file, multipart, progress, resumed) {
    const { partSizeBytes, partCount, partUrl, completeUrl } = multipart;
    const sizeOf = (number) => Math.min(partSizeBytes, file.size - (number - 1) * partSizeBytes);
    const complete = async () => {
      try {
        await patiently(() => sendJson(completeUrl));
        return [];
      } catch (error) {
        if (error.status === 409 && Array.isArray(error.details.missingParts)) return error.details.missingParts;
        throw error;
      }
    };
    let missing = resumed ? await complete() : Array.from({ length: partCount }, (_, index) => index + 1);
    for (let number = 1; number <= partCount; number++) if (!missing.includes(number)) progress.set(number, sizeOf(number));
    while (missing.length > 0) {
      const queue = [...missing];
      const worker = async () => {
        for (let number = queue.shift(); number !== undefined; number = queue.shift()) {
          const start = (number - 1) * partSizeBytes;
          const bytes = file.slice(start, start + sizeOf(number));
          const mine = number;
          await patiently(() => {
            progress.set(mine, 0);
            return send('PUT', partUrl.replace('{n}', String(mine)), {}, bytes, (loaded) => {
              say('Sending…');
              progress.set(mine, loaded);
            });
          });
          progress.set(mine, bytes.size);
        }
      };
      await Promise.all(Array.from({ length: Math.min(partsAtOnce, queue.length) }, worker));
      say('Putting the parts together…');
      missing = await complete();
    }
  }

  async function start(file) {
    calm();
    if (ticket.sizeBytes !== null && file.size !== ticket.sizeBytes) {
      complain('This link is for ' + ticket.filename + ' (' + ticket.sizeBytes.toLocaleString('en') + ' bytes), but ' + file.name + ' has ' + file.size.toLocaleString('en') + ' bytes.', false);
      return;
    }
    if (file.size === 0) {
      complain(file.name + ' is empty.', false);
      return;
    }
    current = file;
    $('choose').hidden = true;
    $('expected').hidden = true;
    $('sending').hidden = false;
    $('name').textContent = file.name + ' (' + units(file.size) + ')';
    say('Sending…');
    const leaving = (event) => event.preventDefault();
    addEventListener('beforeunload', leaving);
    try {
      const resumed = ticket.multipart !== null;
      if (ticket.upload === null && ticket.multipart === null) {
        const named = await patiently(() => sendJson(ticket.nameUrl, { filename: file.name.slice(0, 255), sizeBytes: file.size, ...(file.type ? { contentType: file.type.slice(0, 100) } : {}) }));
        Object.assign(ticket, { upload: named.upload, multipart: named.multipart, filename: named.file.filename, sizeBytes: named.file.sizeBytes });
      }
      const progress = meter(file.size);
      if (ticket.multipart) await sendParts(file, ticket.multipart, progress, resumed);
      else await sendWhole(file, ticket.upload, progress);
      progress.set('all', file.size);
      done(file.name);
    } catch (error) {
      complain(error.message, true);
    } finally {
      removeEventListener('beforeunload', leaving);
    }
  }

  function done(name) {
    $('choose').hidden = true;
    $('speed').textContent = '';
    $('state').className = 'done';
    say('✓ ' + (name || 'The file') + ' has arrived. You can close this page.');
    document.title = 'Uploaded';
  }

  $('file').addEventListener('change', () => {
    const [file] = $('file').files;
    // So that choosing the same file again is a change, too.
    $('file').value = '';
    if (file) void start(file);
  });
  $('again').addEventListener('click', () => current && void start(current));
  const drop = $('drop');
  for (const name of ['dragenter', 'dragover']) {
    addEventListener(name, (event) => {
      event.preventDefault();
      drop.classList.add('over');
    });
  }
  addEventListener('dragleave', (event) => event.relatedTarget === null && drop.classList.remove('over'));
  addEventListener('drop', (event) => {
    event.preventDefault();
    drop.classList.remove('over');
    const files = event.dataTransfer ? event.dataTransfer.files : [];
    if ($('choose').hidden) return;
    if (files.length === 1) void start(files[0]);
    else if (files.length > 1) complain('This page takes one file.', false);
  });

  if (ticket.status !== 'awaiting_upload') {
    if (ticket.status === 'processing' || ticket.status === 'ready') done(ticket.filename);
    else {
      $('choose').hidden = true;
      complain(ticket.status === 'invalid' ? 'The file has arrived, but it cannot be read.' : 'This upload was stopped.', false);
    }
  } else if (ticket.filename !== null) {
    $('expected').textContent = 'Expected: ' + ticket.filename + (ticket.sizeBytes === null ? '' : ' (' + units(ticket.sizeBytes) + ')');
    $('expected').hidden = false;
  }
})();
`;
