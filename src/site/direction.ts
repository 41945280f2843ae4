/** In which most letters of these texts run. By the letters, since a language may be wrong or unknown. */
export function directionOf(texts: readonly string[]): 'ltr' | 'rtl' {
  const text = texts.join('');
  const count = (letters: RegExp): number => text.match(letters)?.length ?? 0;
  const leftwards = count(
    /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}]/gu,
  );
  return leftwards > count(/\p{L}/gu) / 2 ? 'rtl' : 'ltr';
}
