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

/** What the sound must add was chosen on these, too. */
export const chosenLater: readonly RareName[] = [
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

/** Nothing was chosen on these. */
export const unseen: readonly RareName[] = [
  name('Gdansk', 'gudansk'),
  name('Worcester', 'wooster'),
  name('Mikhailova', 'mikhighlova'),
  name('Vishwanathan', 'vishwanahthan'),
  name('Adebayo', 'addabyo'),
  name('Nakagawa', 'nahkagahwa'),
  name('Fitzwilliam'),
  name('Abernathy'),
  name('Lindqvist', 'lindkvist'),
  name('Zielinski', 'jelinskee'),
  name('Castellano', 'castelahno'),
  name('semaglutide', 'semmaglootide'),
  name('adalimumab', 'addalimmumab'),
  name('omeprazole', 'ohmepprazole'),
  name('Ansible', 'ansibble'),
  name('Postgres', 'post gress'),
  name('Redshift'),
  name('Tarvolin'),
  name('Merundo', 'merundoe'),
  name('Halcyra', 'halseera'),
  name('Quibbleton'),
  name('Brontesk'),
  name('Pemberley'),
  name('Ishiguro', 'ishiggooro'),
];

/** Sentences without a name, with words that sound like one. */
export const soundAlike: readonly string[] = [
  'My sister told me that reform would be ready on Monday morning.',
  'We followed the trail on our way back to the village.',
  'Yesterday I took a shot in the dark, and I liked it.',
  'The report says that Berlin has changed a lot in the last ten years.',
  'We asked the Congo about the price, but there was no answer at all.',
  'Can you tell me more about the venture before the meeting starts?',
  'I will go there fast if I can, said the actor from the burg.',
  'In the end everybody agreed that the willow by the river was the right choice.',
  'Tim bottles water, and you see the ships in the harbor.',
  'The giraffe in a garden looked at the quilt on the bench.',
  'We never told him that the vent or all of the pelvis hurt.',
  'The corgi ran over the beam and the social worker laughed.',
  'A veteran ordered a developer to bring a candle and a ski.',
  'She never asked for the post, yes, nor for the red shirt.',
  'A cask of ale was in the cellar, and the anvil was in the yard.',
  'When did the rocket leave, and who wished them a merry Christmas?',
];

/** Names that are in the vocabulary as well and are never said. */
export const neverSaid = (
  'Tilney Brandenburg Anneke Ferrars Knightley Ostrava Wickham Zakopane Halvorsen Tindall Kestrel Morwenna Adelman ' +
  'Lisbeth Corvin Ravello Sandip Ellery Bertrand Yusuf'
).split(' ');

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
