// Sentences with rare names and terms for robot voices. Rules were chosen on the first list alone.

/** As it is written, and as a robot that does not know it has to be told. */
export interface RareName {
  readonly written: string;
  readonly respelled: string;
}

const name = (written: string, respelled = written): RareName => ({ written, respelled });

/** The rules were chosen on these. */
export const chosenOn: readonly RareName[] = [
  name('Tbilisi', 'tuh bileesee'),
  name('Ouagadougou', 'wahgahdoogoo'),
  name('Siobhan', 'shivawn'),
  name('Nguyen', 'win'),
  name('Saoirse', 'seersha'),
  name('Przewalski', 'shuhvalskee'),
  name('Kubernetes', 'koobernetteez'),
  name('Ljubljana', 'lyoobleeahna'),
  name('Zorvex'),
  name('Quantelix'),
  name('Lumivara', 'loomeevara'),
  name('ezetimibe', 'ezettimibe'),
  name('metoprolol'),
  name('Achterberg', 'akhterberg'),
  name('Mukherjee', 'mookerjee'),
  name('Kowalczyk', 'kovalchick'),
  name('Okonkwo'),
  name('Thibodeaux', 'tibbadoe'),
  name('Willoughby', 'willowbee'),
  name('Xochitl', 'soacheel'),
  name('Earshot'),
  name('Skjervheim', 'shairvhaym'),
  name('Dashwood'),
  name('Brellin'),
];

/** Nothing was chosen on these. */
export const unseen: readonly RareName[] = [
  name('Reykjavik', 'raykyavik'),
  name('Chisinau', 'kishinow'),
  name('Niamh', 'neeve'),
  name('Krzysztof', 'kshishtof'),
  name('Papadimitriou', 'papadhimitreeoo'),
  name('Szczepanski', 'shchepanskee'),
  name('Fastify'),
  name('Terraform'),
  name('Grafana', 'gruhfahna'),
  name('atorvastatin', 'atorvastatin'),
  name('pembrolizumab', 'pembrolizumab'),
  name('Vantorel'),
  name('Nimbaro', 'nimbahro'),
  name('Obradovic', 'obradovitch'),
  name('Balasubramanian', 'balla soobramahneean'),
  name('Delacroix', 'dellacrwah'),
  name('Featherstonehaugh', 'fanshaw'),
  name('Oyelaran', 'oyelahran'),
  name('Havisham', 'havvishum'),
  name('Bingley'),
  name('Pellworm', 'pelvorm'),
  name('Trelawney', 'trelawnee'),
  name('Quillonby'),
  name('Marchetti', 'markettee'),
];

/** Names that are in the vocabulary as well and are never said. */
export const neverSaid =
  'Tilney Brandenburg Anneke Ferrars Knightley Ostrava Wickham Zakopane Halvorsen Tindall Kestrel Morwenna Adelman Lisbeth Corvin Ravello Sandip Ellery Bertrand Yusuf'.split(
    ' ',
  );

const frames = [
  'Yesterday I heard about NAME for the first time, and I liked it.',
  'My sister told me that NAME would be ready on Monday morning.',
  'The report says that NAME has changed a lot in the last ten years.',
  'We asked NAME about the price, but there was no answer at all.',
  'Can you tell me more about NAME before the meeting starts?',
  'In the end everybody agreed that NAME was the right choice.',
];

/** A sentence for each name. */
export const sentenceOf = (index: number, said: string): string =>
  (frames[index % frames.length] as string).replace('NAME', said);
