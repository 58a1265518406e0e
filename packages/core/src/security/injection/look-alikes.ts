/** Letters that look like Latin ones: each string is a letter and what stands in for it. */
const table: readonly (readonly [letter: string, lookAlikes: string])[] = [
  ['a', 'аɑαᴀɐ∂ⱥ'],
  ['b', 'ЬвʙВƅᏏ'],
  ['c', 'сϲᴄⅽ¢ⲥ'],
  ['d', 'ԁɗᴅⅾđժ'],
  ['e', 'еєεᴇəɛҽ℮'],
  ['f', 'ꜰƒғϝ'],
  ['g', 'ɡɢԍց'],
  ['h', 'һʜнհ'],
  ['i', 'іιɪıɩїӏⅰ'],
  ['j', 'јϳᴊ'],
  ['k', 'кκᴋƙ'],
  ['l', 'ⅼʟłⲓ'],
  ['m', 'мᴍⅿ'],
  ['n', 'пηɴոռν'],
  ['o', 'оοᴏօøσө०৹'],
  ['p', 'рρᴘϸ'],
  ['q', 'ԛգ'],
  ['r', 'гʀɾґ'],
  ['s', 'ѕꜱʂ'],
  ['t', 'тτᴛŧ'],
  ['u', 'υᴜսʋц'],
  ['v', 'ѵᴠⅴ'],
  ['w', 'ѡᴡԝшω'],
  ['x', 'хχⅹ'],
  ['y', 'уγʏүყ'],
  ['z', 'ᴢʐ'],
]

const letters: ReadonlyMap<string, string> = new Map(
  table.flatMap(([letter, lookAlikes]) =>
    Array.from(lookAlikes).flatMap((one): [string, string][] => [
      [one, letter],
      [one.toUpperCase(), letter],
    ]),
  ),
)

/** Everything but plain letters and the signs of ordinary typography. */
const foldable =
  /[^\0-\x7F\u00A0-\u00A9\u00AB-\u00B1\u00B4-\u00B8\u00BB-\u00BF\u2010-\u2027\u2030-\u205E\u2190-\u23FF\u2500-\u2BFF\u3000-\u303F]/

/**
 * A text in plain lower-case Latin letters, as far as its letters look like these: accents taken off, look-alikes of
 * other scripts and letters of flags replaced. Meant for matching alone.
 */
export function foldLookAlikes(text: string): string {
  if (!foldable.test(text)) return text.toLowerCase()
  return text
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^\0-\x7F]/gu, (letter) => letters.get(letter) ?? flagLetter(letter) ?? letter)
}

function flagLetter(letter: string): string | undefined {
  const code = (letter.codePointAt(0) ?? 0) - 0x1_f1_e6
  return code >= 0 && code < 26 ? String.fromCharCode(97 + code) : undefined
}
