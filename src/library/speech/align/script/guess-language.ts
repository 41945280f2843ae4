import type { Script } from '../../transcript/read/script.ts';

/** Letters that identify a language, or the most common language that uses them. Japanese before Chinese. */
const letters: readonly (readonly [RegExp, string])[] = [
  [/[\p{Script=Hiragana}\p{Script=Katakana}]/u, 'ja'],
  [/\p{Script=Hangul}/u, 'ko'],
  [/\p{Script=Han}/u, 'zh'],
  [/[іїєґ]/iu, 'uk'],
  [/\p{Script=Cyrillic}/u, 'ru'],
  [/\p{Script=Greek}/u, 'el'],
  [/\p{Script=Hebrew}/u, 'he'],
  [/\p{Script=Arabic}/u, 'ar'],
  [/\p{Script=Devanagari}/u, 'hi'],
  [/\p{Script=Thai}/u, 'th'],
  [/\p{Script=Georgian}/u, 'ka'],
  [/\p{Script=Armenian}/u, 'hy'],
  [/\p{Script=Tamil}/u, 'ta'],
  [/\p{Script=Bengali}/u, 'bn'],
];

/** Words that are common in one language and rare in the others. */
const commonWords: Readonly<Record<string, string>> = {
  en: 'the and of to is that it you was for with this have are not they we what but from',
  de: 'der die das und ist nicht ich ein eine mit sich auf für dem den wir auch wie es zu',
  fr: 'le la les et est des une dans pour que qui pas vous nous avec sur ce il je mais',
  es: 'el los las y es que en una por con para no lo como pero su del más yo está',
  it: 'il che di e è non per una sono con come gli della mi ma anche ho si nel più',
  pt: 'o os e é que não uma para com do da em se mais por como mas eu você são',
  nl: 'de het een en van ik is dat niet op te zijn met voor maar ook je wat er hij',
  pl: 'i w nie na się to że jest z do jak ale co tak o po czy tylko już ja',
  sv: 'och att det som är en på för inte jag med av har men om så vi ett kan de',
  da: 'og at det er en på til for ikke jeg med af har men som vi den de der kan',
  no: 'og å det er en på til for ikke jeg med av har men som vi den at de kan',
  fi: 'ja on ei se että hän minä mutta niin kun oli ovat tämä mitä kuin sitä myös olen nyt vain',
  cs: 'a je se v na to že jsem s z do jak ale tak co by jsou pro není když',
  tr: 've bir bu da de için ne ben çok ama var daha gibi o mi kadar sonra değil şey olan',
  ro: 'și este nu în de la o că pe cu mai se să din un care pentru am dar ce',
  hu: 'a az és hogy nem is egy ez van meg de csak volt már mint ki ha el kell mert',
};

/**
 * The language of a script, by its letters and its most common words.
 * @returns ISO 639 code; "en" if unknown
 */
export function guessLanguage(script: Script): string {
  const text = script.format === 'txt' ? script.text : script.cues.flatMap(({ lines }) => lines).join('\n');
  const sample = text.slice(0, 20_000);
  const all = sample.match(/\p{L}/gu)?.length ?? 0;
  for (const [letter, language] of letters) {
    const own = sample.match(new RegExp(letter.source, `${letter.flags}g`))?.length ?? 0;
    if (own > 0.05 * all && all > 0) return language;
  }
  const words = sample.toLowerCase().match(/\p{L}+/gu) ?? [];
  const counts = Object.entries(commonWords).map(([language, list]) => {
    const common = new Set(list.split(' '));
    return { language, count: words.filter((word) => common.has(word)).length };
  });
  return counts.reduce((best, next) => (next.count > best.count ? next : best)).language;
}
