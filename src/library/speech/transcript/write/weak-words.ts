// Words that belong to the next one: a line or a caption should not end with one. Articles, prepositions, possessives,
// conjunctions; by language, lower case.

const byLanguage: Readonly<Record<string, string>> = {
  en:
    'a an the of to in on at by for from with into onto over under about as than and or but nor so if that which who ' +
    'whose my your his her its our their this these those i you he she it we they is are was were be been will would ' +
    'can could',
  de:
    'der die das den dem des ein eine einen einem einer eines und oder aber denn dass weil wenn als wie in im an am ' +
    'auf aus bei beim mit nach von vom vor zu zum zur über unter durch für ohne um mein dein sein ihr unser ich du ' +
    'er sie es wir nicht',
  fr:
    "le la les l' un une des du de d' à au aux en dans sur sous pour par avec sans chez et ou mais que qui dont où " +
    "si ne n' mon ma mes ton ta tes son sa ses notre votre leur ce cette ces je tu il elle on nous vous ils elles " +
    'très',
  es:
    'el la los las lo un una unos unas de del a al en con sin por para sobre entre y e o u pero que si como mi tu su ' +
    'sus nuestro este esta estos estas yo él ella se no muy más',
  it:
    "il lo la i gli le l' un uno una di del della dei delle a al alla in nel nella su sul con per tra fra e o ma che " +
    'se come mio mia tuo tua suo sua questo questa io lui lei noi non più molto',
  pt:
    'o a os as um uma uns umas de do da dos das em no na nos nas a ao à por pelo pela para com sem e ou mas que se ' +
    'como meu minha teu sua seu este esta eu ele ela nós não muito mais',
  nl:
    'de het een van in op aan bij met voor naar uit door over onder tot om te en of maar dat die als mijn jouw zijn ' +
    'haar ons onze hun dit deze ik je jij hij zij ze wij we niet',
  pl:
    'w we z ze na do od po o u i a ale lub że bo gdy jak nie za przed nad pod przez dla mój twój jego jej ten ta ' +
    'to się',
};

const made = new Map<string, ReadonlySet<string>>();

export function weakWords(language: string): ReadonlySet<string> {
  const known = made.get(language) ?? new Set((byLanguage[language] ?? '').split(' '));
  made.set(language, known);
  return known;
}
