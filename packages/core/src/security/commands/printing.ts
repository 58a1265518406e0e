import { decodeAnsi } from '../../terminals/exported-variables.ts'

/** What `echo` can print: bash leaves escapes as they are, sh decodes them without being asked. */
export function echoed(args: readonly string[]): string[] {
  const options = args.findIndex((arg) => !/^-[neE]+$/.test(arg))
  const count = options === -1 ? args.length : options
  const end = args.slice(0, count).join('').includes('n') ? '' : '\n'
  const text = args.slice(count).join(' ')
  return [...new Set([text, decodeEscapes(text)])].map((printed) => printed + end)
}

/** What `printf` prints; undefined where the format is beyond this. */
export function printfed(args: readonly string[]): string | undefined {
  const [format, ...values] = args[0] === '--' ? args.slice(1) : args
  if (format === undefined || format.startsWith('-')) return undefined
  const decoded = decodeEscapes(format)
  const directive = /%(?:%|[-+ #0]*\d*(?:\.\d+)?([sbdiqcuxXo]))/g
  const places = [...decoded.matchAll(directive)].filter(([, conversion]) => conversion !== undefined).length
  const rounds = places === 0 ? 1 : Math.max(1, Math.ceil(values.length / places))
  let output = ''
  let next = 0
  for (let round = 0; round < Math.min(rounds, 1000); round++) {
    output += decoded.replace(directive, (_, conversion: string | undefined) => {
      if (conversion === undefined) return '%'
      const value = values[next++] ?? ''
      return conversion === 'b' ? decodeEscapes(value) : conversion === 'c' ? value.charAt(0) : value
    })
  }
  return output
}

function decodeEscapes(text: string): string {
  return text.includes('\\') ? decodeAnsi(text.replace(/\\0([0-7]{1,3})/g, '\\$1')) : text
}

/** What a filter makes of its input; undefined for a program that is not known. */
export function filtered(name: string, args: readonly string[], input: string): string | undefined {
  const has = (...options: string[]) => args.some((arg) => options.includes(arg))
  if (name === 'cat' && args.every((arg) => arg.startsWith('-'))) return input
  if (name === 'tee') return input
  if (name === 'rev') return input.replace(/[^\n]+/g, (line) => Array.from(line).toReversed().join(''))
  if (name === 'base64' && isDecoding(args)) return decodeBytes(input, 'base64')
  if (name === 'openssl' && has('base64', '-base64') && has('-d')) return decodeBytes(input, 'base64')
  if (name === 'xxd' && args.some((arg) => /^-\w*r/.test(arg))) return decodeBytes(input, 'hex')
  if (name === 'tr') return translated(args, input)
  return undefined
}

/** Programs that turn unreadable text into readable one. */
export function isDecoder(name: string, args: readonly string[]): boolean {
  if (/^(?:base64|base32|basenc|uudecode|base58)$/.test(name)) return name === 'uudecode' || isDecoding(args)
  if (/^(?:gunzip|zcat|bunzip2|bzcat|unxz|xzcat|unzstd|zstdcat|lz4cat)$/.test(name)) return true
  if (/^(?:gzip|bzip2|xz|zstd)$/.test(name)) return isDecoding(args)
  if (name === 'xxd') return args.some((arg) => /^-\w*r/.test(arg))
  return (name === 'openssl' && args.includes('-d')) || name === 'rev' || name === 'tr'
}

function isDecoding(args: readonly string[]): boolean {
  return args.some((arg) => /^(?:-\w*[dD]\w*|--de.*|--dec.*)$/.test(arg))
}

function decodeBytes(text: string, encoding: 'base64' | 'hex'): string {
  return Buffer.from(text.replace(/\s/g, ''), encoding).toString()
}

function translated(args: readonly string[], input: string): string | undefined {
  const deletes = args.some((arg) => /^-\w*d/.test(arg) || arg === '--delete')
  const [from, to] = args.filter((arg) => !/^-./.test(arg)).map(characters)
  if (!from) return undefined
  if (deletes) return Array.from(input, (character) => (from.includes(character) ? '' : character)).join('')
  if (!to || to.length === 0) return undefined
  return Array.from(input, (character) => {
    const index = from.indexOf(character)
    return index === -1 ? character : (to[Math.min(index, to.length - 1)] ?? '')
  }).join('')
}

/** The characters of a set of `tr`, ranges written out. */
function characters(set: string): string[] {
  const named = set.replaceAll('[:lower:]', 'a-z').replaceAll('[:upper:]', 'A-Z').replaceAll('[:digit:]', '0-9')
  const spelled = decodeEscapes(named).replace(/(.)-(.)/gsu, (whole, from: string, to: string) => {
    const [first, last] = [from.codePointAt(0) ?? 0, to.codePointAt(0) ?? 0]
    if (last < first || last - first > 0x1000) return whole
    return Array.from({ length: last - first + 1 }, (_, n) => String.fromCodePoint(first + n)).join('')
  })
  return Array.from(spelled)
}
