// The parts of a script that are not spoken: speaker names, stage directions, headings. "Speaker 2:", "NAME:",
// "**NARRATOR:**", "(pause)", "# Scene 1", "INT. KITCHEN - DAY". `scriptWords` handles "[applause]".

/** Words of one line as written. */
type Words = readonly string[];

/** More words are not a name: "What he said then was this:". */
const longestName = 4;

/** Without the asterisks and underscores of Markdown. */
const bare = (word: string): string => word.replace(/^[*_~]+/, '').replace(/(?<![*_~])[*_~]+$/, '');
const isBold = (words: Words): boolean => /^(\*\*|__|\*)/.test(words[0] ?? '');
const isCapitals = (text: string): boolean => /\p{Lu}/u.test(text) && !/\p{Ll}/u.test(text);
const isTitled = (text: string): boolean => /^\p{Lu}/u.test(text);

/** Number of words of a name with a colon at the start of a line: "NAME:", "**Anna**:", "ANNA (V.O.):"; 0: none. */
function nameLength(words: Words): number {
  for (let count = 1; count <= Math.min(words.length, longestName); count += 1) {
    const word = words[count - 1] ?? '';
    // "10:30" and "C:\" continue after the colon.
    if (/[:：][*_]*$/u.test(word)) return count;
    if (/[.!?,;"»“”]$/u.test(bare(word)) && !/^(?:mr|mrs|ms|dr|st|no)\.$/i.test(bare(word))) return 0;
  }
  return 0;
}

const nameOf = (words: Words, count: number): string =>
  words
    .slice(0, count)
    .map((word) => bare(word).replace(/[:：][*_]*$/u, ''))
    .map(bare)
    .join(' ');

/** A word and a number, as we and other programs number speakers. */
const numbered = /^\p{L}+ (?:\d{1,3}|[A-Z])$/u;

/** "12.", "(12)", "12:", "12" at the start of a line; null: none. */
function numberAt(word: string | undefined): number | null {
  const found = /^\(?(\d{1,4})[.):]?$/.exec(bare(word ?? ''));
  return found ? Number(found[1]) : null;
}

/** Do the lines of a text count themselves, one by one? Sentences that begin with a number do not. */
export function areNumbered(lines: readonly Words[]): boolean {
  const numbers = lines.filter(({ length }) => length > 1).map(([first]) => numberAt(first));
  const counted = numbers.filter((number) => number !== null);
  const rises = counted.every((number, at) => at === 0 || number === (counted[at - 1] as number) + 1);
  return counted.length >= 2 && rises && (counted[0] as number) <= 1 && 2 * counted.length >= numbers.length;
}

/** Words before a speaker's name: the number of the line, and a dash, which starts another speaker's words. */
function leadLength(words: Words, isNumbered: boolean): number {
  const number = isNumbered && numberAt(words[0]) !== null ? 1 : 0;
  return number + (/^[-–—•*]$/u.test(words[number] ?? '') ? 1 : 0);
}

/** Names without another mark, recognised because they recur: "Anna:". */
export function recurringNames(lines: readonly Words[]): ReadonlySet<string> {
  const counts = new Map<string, number>();
  const isNumbered = areNumbered(lines);
  for (const line of lines) {
    const words = line.slice(leadLength(line, isNumbered));
    const count = nameLength(words);
    if (count === 0) continue;
    const name = nameOf(words, count);
    if (name.split(' ').every(isTitled)) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const several = [...counts].filter(([, count]) => count > 1).map(([name]) => name);
  return new Set(several);
}

/** Number of words at the start of a line that name the speaker. */
function label(words: Words, names: ReadonlySet<string>): number {
  const count = nameLength(words);
  if (count === 0) return 0;
  const name = nameOf(words, count);
  const isName = isCapitals(name) || numbered.test(name) || isBold(words) || names.has(name);
  return isName ? count : 0;
}

/** Stage directions within a line; alone on a line anything in brackets is one. */
const direction =
  /^(?:pauses?|beat|silence|laughs?|laughter|chuckles?|giggles?|sighs?|gasps?|coughs?|sniffs?|sobs?|cries|applause|cheers?|music|inaudible|unintelligible|crosstalk|overlapping|v\.?o\.?|o\.?s\.?|o\.?c\.?|off|cont[’']?d\.?|continued)$/iu;
const directionAdjective = /^(?:long|short|brief|slight|small|big|slow|deep|loud|soft|more|dramatic|awkward)\s(?=\S)/iu;
/** "whispering", "quietly". */
const manner = /^\p{L}{3,}(?:ing|ly)$/iu;

function isDirection(text: string): boolean {
  const bareText = text.replace(directionAdjective, '');
  return [text, bareText].some((each) => direction.test(each) || manner.test(each));
}

const heading = /^(?:INT|EXT|EST|I\/E)(?:[./]|\s)/;
const transition = /^(?:FADE (?:IN|OUT|TO BLACK)|(?:SMASH |MATCH |JUMP )?CUT TO|DISSOLVE TO)[.:]?$/;

/** Marks text in round brackets: a whole line, after a name, and known directions between words. */
function markBrackets(words: Words, from: number, marks: boolean[]): void {
  for (let at = from; at < words.length; at += 1) {
    if (!/^[*_]*\(/.test(words[at] ?? '')) continue;
    let end = at;
    while (end < words.length && !/\)[.,:;!?*_]*$/.test(words[end] ?? '')) end += 1;
    if (end >= words.length) return;
    const inside = words
      .slice(at, end + 1)
      .join(' ')
      .replace(/^[*_]*\(/, '')
      .replace(/\)[.,:;!?*_]*$/, '');
    const isWhole = at === from && (end === words.length - 1 || from > 0);
    if (isWhole || isDirection(inside.trim())) marks.fill(true, at, end + 1);
    at = end;
  }
}

/**
 * Which words of a line are not spoken.
 * @param names see `recurringNames`
 * @param isText is the line plain text? Only there are headings and names on lines of their own
 * @param next the words of the next line in the same paragraph; null: there is none
 * @param isNumbered see `areNumbered`
 */
export function markLine(
  words: Words,
  names: ReadonlySet<string>,
  isText: boolean,
  next: Words | null,
  isNumbered = false,
): readonly boolean[] {
  const marks = words.map(() => false);
  const text = words.join(' ');
  if (isText) {
    const isHeading = /^#{1,6}$/.test(words[0] ?? '') || /^#{1,6}\p{L}/u.test(text);
    const isScene =
      (heading.test(text) && isCapitals(text)) || transition.test(text) || /^(?:[-*_=]\s?){3,}$/.test(text);
    if (isHeading || isScene) return marks.fill(true);
    const name = text.replace(/(?<!\s)\s*\([^()]*\)$/, '');
    const isAlone =
      isCapitals(name) && name.split(' ').length <= longestName && !/[.!?…,;]$/.test(name) && /\p{L}{2}/u.test(name);
    if (isAlone && next !== null && /\p{Ll}/u.test(next.join(' '))) return marks.fill(true);
  }
  const lead = leadLength(words, isNumbered);
  if (isNumbered && numberAt(words[0]) !== null) marks[0] = true;
  const count = label(words.slice(lead), names);
  // A dash before a name goes with it; one without a name is how subtitles tell two speakers apart.
  if (count > 0) marks.fill(true, 0, lead + count);
  markBrackets(words, lead + count, marks);
  return marks;
}
