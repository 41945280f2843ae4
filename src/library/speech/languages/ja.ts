import type { SpokenLanguage } from './spoken-language.ts';

/** Japanese. */
export const ja: SpokenLanguage = {
  fillers: {
    always:
      'えー+っ?と?[ーぉ]*|えっ?と[ーぉ]*|え{2,}ー*っ?と[ーぉ]*|あのー+|そのー+|うー+ん*と?[ーぉ]*|んー+と?ー*|んっと|んん+|あー+|エー+ット?ー*|エー+ト?ー*|アノー+|ンー+|ウー+ン*'.split(
        '|',
      ),
    setApart: 'あの|その|まあ|まぁ|まー+'.split('|'),
    apartAfter: true,
    doubled:
      'はい うん いや もう まだ また とても いい そう どう もっと ずっと ねえ ほら ちょっと だめ よし 一 二 三 四 五 六 七 八 九 十'.split(
        ' ',
      ),
    joining: 'と や も'.split(' '),
    hesitation: {
      prompt: 'えーと、あの、その、えっと、まあ、うーん、あのー、えー、なんか。',
      sounds: ['えと', 'えっと', 'あの', 'その', 'まあ', 'うん', 'え', 'あ', 'ん', 'う'],
    },
  },
  stops: null,
  spokenForms: {},
  currencies: ['ドル', 'ユーロ', 'ポンド', 'えん'],
  commonWords: null,
};
