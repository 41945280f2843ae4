import type { SpokenLanguage } from './spoken-language.ts';

/** Korean. */
export const ko: SpokenLanguage = {
  fillers: {
    always: '음+|으+음+|흠+|어{2,}|에{2,}|아{3,}|으{2,}'.split('|'),
    setApart: '어|에|그|저|저기'.split('|'),
    apartAfter: true,
    doubled:
      '네 예 아니 아니요 정말 진짜 아주 너무 매우 빨리 많이 조금 잘 더 또 다시 안녕 좋아 하하 그래 응 어서 천천히 일 이 삼 사 오 육 칠 팔 구 십 하나 둘 셋'.split(
        ' ',
      ),
    joining: '와 과 하고'.split(' '),
    hesitation: {
      prompt: '음, 어, 그, 저, 뭐, 음, 그러니까, 어, 있잖아, 음.',
      sounds: ['음', '어', '그', '저', '뭐', '아', '에', '으'],
    },
  },
  stops: null,
  spokenForms: {},
  currencies: null,
  commonWords: null,
};
