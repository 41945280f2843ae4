// A script whose passages are said in another order: its words in the order in which they were heard. Anchors rise in
// script and recording; what they leave over on both sides is compared again, until no passage is common.
import { anchorsOf, type HeardWord } from './anchors.ts';

interface WordOfScript {
  /** "." at the end of a sentence. */
  readonly mark: string;
  /** Index of its cue or paragraph. */
  readonly part: number;
}

/** Fewer words may be in both by chance, in a place of their own in each. */
const fewestWords = 5;
/** So many words of a moved passage are heard in its place; between heard ones so many may be missing. */
const leastHeard = 0.6;
const mostBetween = 3;

/** Where each word is heard, in one order after the other: its word of the recording, or null. */
function heardIn(keys: readonly string[], heard: readonly HeardWord[]): (number | null)[] {
  const places = anchorsOf(keys, heard).map((anchor) => anchor?.firstHeard ?? null);
  for (;;) {
    const taken = new Set(places);
    const script = places.flatMap((place, index) => (place === null ? [index] : []));
    const sound = [...heard.keys()].filter((index) => !taken.has(index));
    if (Math.min(script.length, sound.length) < fewestWords) return places;
    const anchors = anchorsOf(
      script.map((index) => keys[index] as string),
      sound.map((index) => heard[index] as HeardWord),
    );
    const moved = passagesOf(
      anchors.flatMap((anchor, at) =>
        anchor === null ? [] : [{ word: script[at] as number, heard: sound[anchor.firstHeard] as number }],
      ),
    );
    if (moved.length === 0) return places;
    for (const { word, heard: place } of moved) places[word] = place;
  }
}

interface Place {
  readonly word: number;
  readonly heard: number;
}

/** Those of a run of words that is close together on both sides. */
function passagesOf(places: readonly Place[]): Place[] {
  const runs: Place[][] = [];
  for (const place of places) {
    const last = runs.at(-1)?.at(-1);
    const isNear = last && [place.word - last.word, place.heard - last.heard].every((step) => step <= mostBetween + 1);
    if (isNear && place.heard > last.heard) runs.at(-1)?.push(place);
    else runs.push([place]);
  }
  return runs
    .filter((run) => {
      const [first, last] = [run[0] as Place, run.at(-1) as Place];
      return run.length >= Math.max(fewestWords, leastHeard * (last.word - first.word + 1));
    })
    .flat();
}

/**
 * @param words of the script that have sound, and their comparable forms
 * @returns their indices in the order of the recording; null where that is the script's own
 */
export function heardOrder(
  words: readonly WordOfScript[],
  keys: readonly string[],
  heard: readonly HeardWord[],
): number[] | null {
  const places = heardIn(keys, heard);
  // A word that was not heard stays beside the heard words of its sentence, or else behind the sentence before it.
  const about: number[] = [];
  for (let from = 0; from < words.length;) {
    let to = from + 1;
    while (to < words.length && words[to - 1]?.mark !== '.' && words[to]?.part === words[to - 1]?.part) to += 1;
    let place = places.slice(from, to).find((own) => own !== null) ?? about.at(-1) ?? -1;
    for (let word = from; word < to; word += 1) about.push((place = places[word] ?? place));
    from = to;
  }
  const order = [...words.keys()].sort((a, b) => (about[a] as number) - (about[b] as number) || a - b);
  return order.every((word, at) => word === at) ? null : order;
}
