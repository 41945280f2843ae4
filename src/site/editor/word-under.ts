// Which word lies under a place of the window.
import { doc, shownWord } from './state.ts';

/** The number of the word at a place of the window; null: none. */
export function wordUnder(x: number, y: number): number | null {
  const run = document.elementFromPoint(x, y)?.closest<HTMLElement>('[data-word]');
  if (!run) return null;
  const first = Number(run.dataset['word']);
  const offset = caretIn(run, x, y);
  let passed = 0;
  const texts = (run.textContent ?? '').split(' ');
  for (const [index, text] of texts.entries()) {
    passed += text.length + 1;
    if (offset < passed) return wordOfToken(first, index);
  }
  return wordOfToken(first, texts.length - 1);
}

/** Words may be written as several, or as none. */
function wordOfToken(first: number, tokens: number): number {
  let left = tokens;
  const own = doc.value;
  for (let word = first; word < (own?.words.length ?? 0); word++) {
    const text = shownWord(word);
    if (text === '') continue;
    left -= text.split(' ').length;
    if (left < 0) return word;
  }
  return first;
}

function caretIn(run: HTMLElement, x: number, y: number): number {
  const place =
    'caretPositionFromPoint' in document
      ? document.caretPositionFromPoint(x, y)
      : // Safari.
        (document as { caretRangeFromPoint?(x: number, y: number): Range | null }).caretRangeFromPoint?.(x, y);
  if (!place) return 0;
  const [node, offset] =
    'offsetNode' in place ? [place.offsetNode, place.offset] : [place.startContainer, place.startOffset];
  return run.contains(node) ? offset : 0;
}
