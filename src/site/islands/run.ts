// The page of a run works without this script, which makes it smoother. While the run goes on, the page is fetched
// again and replaced in place, so that it does not flicker and screen readers announce what changed.
interface RunPage {
  readonly state: 'running' | 'done' | 'failed';
}

const read = (root: ParentNode): RunPage => JSON.parse(root.querySelector('#data')?.textContent ?? '{}') as RunPage;

async function look(): Promise<void> {
  const answer = await fetch(location.href, { headers: { accept: 'text/html' } });
  const next = new DOMParser().parseFromString(await answer.text(), 'text/html');
  document.querySelector('main')?.replaceWith(next.querySelector('main') ?? document.createElement('main'));
  if (answer.ok && read(next).state === 'running') setTimeout(() => void look().catch(() => location.reload()), 1000);
}

if (read(document).state === 'running') setTimeout(() => void look().catch(() => location.reload()), 1000);
