import { type SoundKind, soundKinds } from '../../../contract/sound-kinds.ts';

const english =
  'music|applause|siren|ringing|thunder|animal sounds|dog barking|cat meowing|birdsong|horse|farm animals';
/** By ISO 639 code, in the order of `soundKinds`. */
const labels: Readonly<Record<string, string>> = {
  cs: 'hudba|potlesk|siréna|zvonění|hrom|zvuky zvířat|štěkot|mňoukání|zpěv ptáků|kůň|hospodářská zvířata',
  da: 'musik|klapsalver|sirene|ringen|torden|dyrelyde|hundegøen|kat miaver|fuglesang|hest|husdyr',
  de: 'Musik|Applaus|Sirene|Klingeln|Donner|Tierlaute|Hundegebell|Katze miaut|Vogelgesang|Pferd|Nutztiere',
  en: english,
  es:
    'música|aplausos|sirena|timbre|truenos|sonidos de animales|ladridos|maullidos|canto de ' +
    'pájaros|caballo|animales de granja',
  fi:
    'musiikkia|aplodeja|sireeni|puhelin soi|ukkosta|eläinten ääniä|koira haukkuu|kissa ' +
    'naukuu|linnunlaulua|hevonen|kotieläimiä',
  fr:
    'musique|applaudissements|sirène|sonnerie|tonnerre|cris d’animaux|aboiements|miaulements|chants ' +
    'd’oiseaux|cheval|animaux de ferme',
  hu: 'zene|taps|sziréna|csengés|mennydörgés|állathangok|kutyaugatás|nyávogás|madárcsicsergés|ló|háziállatok',
  it:
    'musica|applausi|sirena|squilli|tuono|versi di animali|cane che abbaia|gatto che miagola|canto di ' +
    'uccelli|cavallo|animali da fattoria',
  ja: '音楽|拍手|サイレン|呼び出し音|雷鳴|動物の声|犬の鳴き声|猫の鳴き声|鳥のさえずり|馬|家畜の声',
  ko: '음악|박수|사이렌|벨 소리|천둥|동물 소리|개 짖는 소리|고양이 울음|새소리|말|가축 소리',
  nl: 'muziek|applaus|sirene|gerinkel|donder|dierengeluiden|geblaf|gemiauw|vogelgezang|paard|boerderijdieren',
  no: 'musikk|applaus|sirene|ringing|torden|dyrelyder|hund bjeffer|katt mjauer|fuglesang|hest|husdyr',
  pl:
    'muzyka|oklaski|syrena|dzwonek|grzmot|odgłosy zwierząt|szczekanie|miauczenie|śpiew ptaków|koń|zwierzęta ' +
    'gospodarskie',
  pt: 'música|aplausos|sirene|toque|trovão|sons de animais|latidos|miados|canto de pássaros|cavalo|animais de fazenda',
  ro: 'muzică|aplauze|sirenă|sonerie|tunet|sunete de animale|lătrat|mieunat|ciripit de păsări|cal|animale de fermă',
  ru: 'музыка|аплодисменты|сирена|звонок|гром|звуки животных|лай|мяуканье|пение птиц|лошадь|домашний скот',
  sv: 'musik|applåder|sirén|ringsignal|åska|djurläten|hundskall|katt jamar|fågelsång|häst|lantbruksdjur',
  tr:
    'müzik|alkış|siren|zil sesi|gök gürültüsü|hayvan sesleri|köpek havlaması|kedi miyavlaması|kuş sesi|at|çiftlik ' +
    'hayvanları',
  uk: 'музика|оплески|сирена|дзвінок|грім|звуки тварин|гавкіт|нявкання|спів птахів|кінь|свійські тварини',
  zh: '音乐|掌声|警笛|铃声|雷声|动物叫声|狗叫|猫叫|鸟鸣|马叫|家畜叫声',
};

/** "[music]", in the language, else in English; a kind that is not known by its name. */
export function soundLabel(sound: string, language: string): string {
  const names = (labels[language] ?? english).split('|');
  return `[${names[soundKinds.indexOf(sound as SoundKind)] ?? sound}]`;
}
