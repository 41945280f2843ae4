// Sounds and texts for the bench of wrong scripts.
import type { KnownWord } from './alignment-measures.ts';
import { speechRate } from '../../src/library/speech/speech-sound.ts';

/** Two texts a language. */
export const spokenTexts: Readonly<Record<string, readonly [string, string]>> = {
  de: [
    'Am nächsten Morgen ging der alte Fischer früh zum Hafen. Das Wasser war ruhig, und kein Wind bewegte die Segel. ' +
      'Er dachte an die vielen Jahre, die er hier verbracht hatte.',
    'Die Straßenbahn fährt heute nur bis zum Bahnhof. Wer weiter in die Stadt möchte, nimmt bitte den Bus auf der ' +
      'anderen Seite des Platzes. Eine neue Fahrkarte ist nicht nötig.',
  ],
  fr: [
    'Le lendemain matin, le vieux pêcheur descendit au port. La mer était calme et aucun vent ne gonflait les ' +
      'voiles. Il pensait aux longues années passées sur cette côte.',
    'Le musée ouvre ses portes à neuf heures et ferme à dix-huit heures. Les enfants entrent gratuitement avec leurs ' +
      'parents. Une visite guidée commence toutes les heures dans la grande salle.',
  ],
  es: [
    'A la mañana siguiente el viejo pescador bajó al puerto. El mar estaba tranquilo y ningún viento movía las ' +
      'velas. Pensaba en los muchos años que había pasado en aquella costa.',
    'La biblioteca de nuestro barrio cierra durante todo el mes de agosto. Los libros prestados se pueden devolver ' +
      'en septiembre. Quien necesite leer antes puede visitar la sala del centro.',
  ],
};

/** A speaker who stutters, made from one who does not: a sixth of a second here and there is said three times. */
export function stuttered(samples: Float32Array, random: () => number): Float32Array<ArrayBuffer> {
  const piece = Math.round(speechRate / 6);
  const parts: Float32Array[] = [];
  let from = 0;
  for (let at = piece; at + piece < samples.length; at += Math.round((0.8 + 1.5 * random()) * speechRate)) {
    const said = samples.subarray(at, at + piece);
    parts.push(samples.subarray(from, at), said, said);
    from = at;
  }
  parts.push(samples.subarray(from));
  const whole = new Float32Array(parts.reduce((sum, part) => sum + part.length, 0));
  let done = 0;
  for (const part of parts) {
    whole.set(part, done);
    done += part.length;
  }
  return whole;
}

const known = (text: string, said: boolean): KnownWord[] => text.split(' ').map((word) => ({ text: word, said }));

/** The sentences of a text in another order; short ones stay behind the sentence before them. */
export function shuffled(text: string, random: () => number): string {
  const sentences = text.match(/(?:\S+\s+){6,}?\S*[.!?;](?=\s|$)|.+$/gsu) ?? [];
  return sentences
    .map((sentence) => ({ sentence: sentence.trim(), at: random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ sentence }) => sentence)
    .join(' ');
}

/** What is said with a third of another recording's text in place of each of its own. */
function thirds(text: string, other: string): [string, KnownWord[]][] {
  const partsOf = (whole: string): string[] => {
    const words = whole.split(' ');
    const third = Math.ceil(words.length / 3);
    return [0, 1, 2].map((part) => `${words.slice(part * third, (part + 1) * third).join(' ')}.`);
  };
  const strange = partsOf(other);
  return strange.map((_, which) => [
    `third ${which + 1} another recording's`,
    partsOf(text).flatMap((part, at) => known(at === which ? (strange[at] as string) : part, at !== which)),
  ]);
}

/** Half of what is said with half of another recording's text, and the beginning at the end. */
export function mixed(text: string, other: string): [string, KnownWord[]][] {
  const halves = (whole: string): [string, string] => {
    const words = whole.split(' ');
    const middle = words.length >> 1;
    return [words.slice(0, middle).join(' '), words.slice(middle).join(' ')];
  };
  const [first, second] = halves(text);
  const [strange, stranger] = halves(other);
  return [
    ["first half, then another recording's", [...known(`${first}.`, true), ...known(stranger, false)]],
    ["another recording's, then second half", [...known(`${strange}.`, false), ...known(second, true)]],
    ...thirds(text, other),
    ['own text and all of another', [...known(`${text}.`, true), ...known(other, false)]],
  ];
}
