/** Letters whose scripts need joiners, or write words without spaces. */
const joining =
  '[\\p{Script=Arabic}\\p{Script=Devanagari}\\p{Script=Bengali}\\p{Script=Gurmukhi}\\p{Script=Gujarati}\\p{Script=Oriya}\\p{Script=Tamil}\\p{Script=Telugu}\\p{Script=Kannada}\\p{Script=Malayalam}\\p{Script=Sinhala}\\p{Script=Khmer}\\p{Script=Mongolian}\\p{Script=Tibetan}\\p{M}]'
const unspaced =
  '[\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{M}]'
const rightToLeft = '[\\p{Script=Hebrew}\\p{Script=Arabic}\\p{Script=Syriac}\\p{Script=Thaana}]'

/** What scripts, emoji and flags need is no disguise. */
const proper = new RegExp(
  [
    `(?<=${joining})[\\u200C\\u200D]`,
    '(?<=[\\p{Extended_Pictographic}\\p{Emoji_Modifier}\\uFE0F])\\u200D(?=\\p{Extended_Pictographic})',
    `(?<=${unspaced})\\u200B(?=${unspaced})`,
    // The flags of England, Scotland and Wales.
    '(?<=\\u{1F3F4})[\\u{E0061}-\\u{E007A}\\u{E0030}-\\u{E0039}]{3,6}\\u{E007F}',
    // One form of one letter.
    '(?<=\\p{Script=Han})[\\u{E0100}-\\u{E01EF}]',
    '^\\uFEFF',
    // A word of a script that is written from right to left, set apart.
    `[\\u2066-\\u2068\\u202A\\u202B](?=[^\\u2066-\\u2069\\u202A-\\u202E\\n]{0,80}[\\u2069\\u202C])(?<=${rightToLeft}[^\\n]{0,80})`,
    `(?<=${rightToLeft}[^\\n]{0,200})[\\u2069\\u202C]`,
  ].join('|'),
  'gu',
)

/** Marks that show nothing, or turn the direction of what follows. */
const invisible = new RegExp(
  String.raw`[\u200B-\u200D\u2060-\u2064\u180E\uFEFF\u202A-\u202E\u2066-\u2069\u206A-\u206F\u{E0000}-\u{E007F}\u{E0100}-\u{E01EF}\u{1D173}-\u{1D17A}\uFFF9-\uFFFB]|[\uFE00-\uFE0F]{2}|[\u115F\u1160\u3164\uFFA0]{2}`,
  'u',
)

const stripped = new RegExp(
  String.raw`[\u00AD\u034F\u061C\u115F\u1160\u17B4\u17B5\u180B-\u180F\u200B-\u200F\u202A-\u202E\u2060-\u206F\u3164\uFE00-\uFE0F\uFEFF\uFFA0\uFFF9-\uFFFB\u{E0000}-\u{E0FFF}\u{1D173}-\u{1D17A}]`,
  'gu',
)

/** Whether a text holds characters that show people another text than the model reads. */
export function hasInvisibleText(text: string): boolean {
  if (!invisible.test(text)) return false
  return invisible.test(text.replaceAll(proper, ''))
}

/** A text without the marks that show nothing. */
export function withoutInvisible(text: string): string {
  return text.replaceAll(stripped, '')
}
