/**
 * Characters that have a plainer form: Latin and Greek letters with marks, marks that are left over, selectors of a
 * character's look, CJK radicals, ligatures, full-width Latin and half-width Katakana.
 */
const special =
  /[\u{C0}-\u{24F}\u{300}-\u{3FF}\u{1E00}-\u{1FFF}\u{2E80}-\u{2FDF}\u{FB00}-\u{FB06}\u{FE00}-\u{FE0F}\u{FF01}-\u{FF9F}\u{E0100}-\u{E01EF}]+/gu

const marksAndSelectors = /[\u{300}-\u{36F}\u{FE00}-\u{FE0F}\u{E0100}-\u{E01EF}]+/gu

/**
 * The form in which text is compared: lower case, Latin and Greek without diacritics, one width. Other scripts keep
 * their marks, since those make other letters (か/が, и/й). Text that contains a string still contains it when both
 * are folded.
 */
export function foldText(text: string): string {
  const lower = text.toLowerCase()
  return isAscii(text) ? lower : lower.normalize('NFC').replace(special, plainer)
}

/** Whether all characters are ASCII; many times as fast as a regular expression. */
export function isAscii(text: string): boolean {
  return Buffer.byteLength(text) === text.length
}

function plainer(characters: string): string {
  // What is left after the marks went is put together again: half-width ｶﾞ is two characters, ガ is one.
  return characters.normalize('NFKD').replace(marksAndSelectors, '').replaceAll('ς', 'σ').normalize('NFC')
}
