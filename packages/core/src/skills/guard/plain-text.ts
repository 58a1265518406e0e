/** Letters of other scripts that look like Latin ones, which is how a word is hidden from a search. */
const lookAlikes: Readonly<Record<string, string>> = {
  а: 'a',
  в: 'b',
  с: 'c',
  е: 'e',
  һ: 'h',
  і: 'i',
  ї: 'i',
  ј: 'j',
  к: 'k',
  м: 'm',
  н: 'h',
  о: 'o',
  р: 'p',
  ѕ: 's',
  т: 't',
  у: 'y',
  х: 'x',
  ѡ: 'w',
  ԁ: 'd',
  ԛ: 'q',
  ԝ: 'w',
  А: 'A',
  В: 'B',
  С: 'C',
  Е: 'E',
  Н: 'H',
  І: 'I',
  Ј: 'J',
  К: 'K',
  М: 'M',
  О: 'O',
  Р: 'P',
  Ѕ: 'S',
  Т: 'T',
  У: 'Y',
  Х: 'X',
  α: 'a',
  ε: 'e',
  ι: 'i',
  κ: 'k',
  ν: 'v',
  ο: 'o',
  ρ: 'p',
  τ: 't',
  υ: 'u',
  χ: 'x',
  γ: 'y',
  Α: 'A',
  Β: 'B',
  Ε: 'E',
  Ζ: 'Z',
  Η: 'H',
  Ι: 'I',
  Κ: 'K',
  Μ: 'M',
  Ν: 'N',
  Ο: 'O',
  Ρ: 'P',
  Τ: 'T',
  Υ: 'Y',
  Χ: 'X',
  ı: 'i',
  ɡ: 'g',
  ɑ: 'a',
  ⅼ: 'l',
  ո: 'n',
  օ: 'o',
  ѐ: 'e',
  ḻ: 'l',
}

const lookAlike = new RegExp(`[${Object.keys(lookAlikes).join('')}]`, 'gu')
/** A word with a Latin letter in it: in words of another script alone nothing is disguised. */
const mixedWord = /[\p{L}\p{M}]{0,60}[a-zA-Z][\p{L}\p{M}]{0,60}/gu
const invisible = /[\u00AD\u200B-\u200F\u202A-\u202E\u2060-\u2064\u2066-\u2069\uFEFF\u{E0000}-\u{E007F}]/gu

/** Text as it reads: without invisible marks, full-width forms as plain ones, look-alikes among Latin letters as these. Keeps line breaks. */
export function plainText(text: string): string {
  if (!/[^\t\n\r -~]/.test(text)) return text
  const shown = text.replaceAll(invisible, '').normalize('NFKC')
  return shown.replaceAll(mixedWord, (word) => word.replaceAll(lookAlike, (letter) => lookAlikes[letter] ?? letter))
}

/** Texts of more than a few words that stand in base64, decoded, with the line where each begins. */
export function decodedTexts(text: string): { readonly line: number; readonly text: string }[] {
  const found: { line: number; text: string }[] = []
  for (const match of text.matchAll(/(?<![A-Za-z0-9+/=])[A-Za-z0-9+/]{24,4096}={0,2}(?![A-Za-z0-9+/=])/g)) {
    if (found.length >= maxDecoded) break
    const decoded = Buffer.from(match[0], 'base64').toString('latin1')
    if (/^[\t\n\r -~]+$/.test(decoded)) found.push({ line: lineAt(text, match.index), text: decoded })
  }
  return found
}

const maxDecoded = 50

/** The number of the line, from 1, that a position is in. */
export function lineAt(text: string, index: number): number {
  let line = 1
  for (let at = text.indexOf('\n'); at !== -1 && at < index; at = text.indexOf('\n', at + 1)) line += 1
  return line
}
