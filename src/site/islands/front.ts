// The front page: a file is dropped, pasted or chosen, then a tool is picked, whose page gets the file. And an example
// that plays.
import { sampleFile, showExample } from '../front/example.ts';
import { handOver } from '../handing-over.ts';

const form = document.querySelector<HTMLFormElement>('#front');
const input = document.querySelector<HTMLInputElement>('#front-file');
const named = document.querySelector<HTMLElement>('#front-files');

if (form !== null && input !== null && named !== null) {
  input.multiple = true;
  form.classList.add('ready');
  let files: readonly File[] = [];
  const picks = [...form.querySelectorAll<HTMLButtonElement>('.pick')];

  const bring = (brought: readonly File[]): void => {
    if (brought.length === 0) return;
    files = brought;
    named.textContent = brought.map(({ name }) => name).join(', ');
    const kind = brought.length > 1 ? 'many' : 'one';
    for (const pick of picks) pick.hidden = pick.dataset[kind] === undefined;
    form.classList.add('picked');
    picks.find((pick) => !pick.hidden)?.focus();
  };

  input.addEventListener('change', () => bring([...(input.files ?? [])]));
  addEventListener('dragover', (event) => {
    event.preventDefault();
    form.classList.add('over');
  });
  addEventListener('dragleave', ({ relatedTarget }) => {
    if (relatedTarget === null) form.classList.remove('over');
  });
  addEventListener('drop', (event) => {
    event.preventDefault();
    form.classList.remove('over');
    bring([...(event.dataTransfer?.files ?? [])]);
  });

  addEventListener('paste', ({ clipboardData }) => bring([...(clipboardData?.files ?? [])]));
  const sample = form.querySelector<HTMLButtonElement>('[data-sample]');
  sample?.addEventListener(
    'click',
    () => void sampleFile(sample.dataset['sample'] ?? '').then((file) => bring([file])),
  );

  const go = async (page: string | undefined, isApart = false): Promise<void> => {
    if (page === undefined) return;
    // If the browser cannot store the file, the next page asks for it again.
    await handOver(files);
    if (isApart) open(page);
    else location.assign(page);
  };
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void go((event.submitter as HTMLButtonElement | null)?.dataset['page']);
  });
  // As with links: in a tab of its own, for which this page keeps the file.
  const apart = (event: MouseEvent): void => {
    const pick = (event.target as Element).closest<HTMLButtonElement>('.pick');
    if (pick === null || !(event.button === 1 || event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    void go(pick.dataset['page'], true);
  };
  form.addEventListener('click', apart);
  form.addEventListener('auxclick', apart);
}

const example = document.querySelector<HTMLElement>('#example');
if (example !== null) showExample(example);
