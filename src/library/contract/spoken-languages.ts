/**
 * Codes of the languages that a recogniser can be set to: those of OpenAI's Whisper (tokenizer.py of the large-v3
 * release, the last one being yue). Two letters as in ISO 639-1, except jw (Javanese), haw and yue.
 */
export const spokenLanguages: readonly string[] = (
  'af am ar as az ba be bg bn bo br bs ca cs cy da de el en es et eu fa fi fo fr gl gu ha haw he hi hr ht hu hy id ' +
  'is it ja jw ka kk km kn ko la lb ln lo lt lv mg mi mk ml mn mr ms mt my ne nl nn no oc pa pl ps pt ro ru sa sd si ' +
  'sk sl sn so sq sr su sv sw ta te tg th tk tl tr tt uk ur uz vi yi yo yue zh'
).split(' ');
