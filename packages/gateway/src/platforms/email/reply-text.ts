/** What a person wrote in a mail, and what their mail program has put below it. */
export interface ReplyText {
  /** Without what is answered, and without a signature; lines as they were. */
  readonly said: string
  /** What it answers, where it stands in one piece. Empty where there is none. */
  readonly quoted: string
}

/** Longest signature, lines. */
const maxSignatureLines = 15

/** Lines that a program may break an introduction of a quote into. */
const maxIntroductionLines = 3

const introductions = [
  /^(?:On|Am|Le|El|Il|Em|Op|Den|Dne|W dniu|Den)(?!\p{L}).{0,250}(?<!\p{L})(?:wrote|schrieb|écrit|escribió|scritto|escreveu|schreef|skrev|napsal(?:\(a\))?|napisał(?:\(a\))?)(?!\p{L}).{0,120}[:：]$/iu,
  /^.{0,200}(?:schrieb am|写道|書きました|wrote).{0,120}[:：]$/iu,
]

const separators =
  /^\s*-{2,}\s*(?:Original(?: Message|nachricht|e-mail)?|Ursprüngliche Nachricht|Message d'origine|Mensaje original|Messaggio originale|Oorspronkelijk bericht|Mensagem original|Original appointment)\s*-{2,}\s*$/iu

const forwards =
  /^\s*(?:-{5,}\s*(?:Forwarded message|Weitergeleitete Nachricht|Message transféré|Mensaje reenviado)\s*-{5,}|(?:Begin forwarded message|Anfang der weitergeleiteten Nachricht|Début du message réexpédié)\s?:)\s*$/iu

const firstOfHeader = /^\s*\*?(?:From|Von|De|Da|Van|Från|Fra|Od|发件人|差出人)\s?[:：]\*?\s*\S/iu
const moreOfHeader =
  /^\s*\*?(?:Sent|Date|To|Subject|Cc|Gesendet|Datum|An|Betreff|Envoyé|À|Objet|Enviado(?: el)?|Para|Asunto|Inviato|A|Oggetto|Verzonden|Aan|Onderwerp|Assunto|Data|Skickat|Till|Ämne|发送时间|收件人|主题|送信日時|宛先|件名)\s?[:：]/iu

const deviceLine =
  /^(?:Sent from (?:my|Mail|Outlook|Yahoo|Proton)|Gesendet von|Von meinem .{1,30} gesendet|Envoyé (?:de|depuis) mon|Enviado (?:desde|do) m|Inviato da|Verzonden vanaf|Get Outlook for)\b.{0,60}$/iu

/**
 * Takes apart what a mail says. A text without any mark of an answer stays as it is; answers between the lines of a quote
 * keep the quote, since they mean nothing without it. `isForward`: what was passed on belongs to what is said.
 */
export function splitReply(text: string, isForward = false): ReplyText {
  const lines = text.replaceAll(/\r\n?/g, '\n').split('\n')
  const passedOn = lines.findIndex((line) => forwards.test(line))
  const quote = isForward ? undefined : findQuote(lines, passedOn < 0 ? lines.length : passedOn)
  if (!quote) return { said: trimmed(withoutSignature(lines)), quoted: '' }
  const before = lines.slice(0, quote.start)
  const after = lines.slice(quote.end)
  const said = trimmed([...withoutSignature(before), ...(isBlank(after) ? [] : ['', ...withoutSignature(after)])])
  return { said, quoted: trimmed(lines.slice(quote.start, quote.end)) }
}

interface LineRange {
  readonly start: number
  readonly end: number
}

/** The one quote of a text: below what is said, or above it. Undefined where there is none, or where they alternate. */
function findQuote(lines: readonly string[], limit: number): LineRange | undefined {
  for (let at = 0; at < limit; at++) {
    const line = lines[at] ?? ''
    if (separators.test(line) || startsHeader(lines, at)) return { start: withRule(lines, at), end: lines.length }
    const introduced = introductionAt(lines, at)
    const start = introduced ?? at
    if (isQuoted(lines[start] ?? '')) {
      const end = endOfQuote(lines, start)
      const rest = lines.slice(end)
      if (isBlank(withoutSignature(rest)) || isSignature(rest)) return { start: at, end: lines.length }
      // Above: what is said comes below. Quoted in the middle, it is answered piece by piece.
      const isAlone = isBlank(lines.slice(0, at)) && !rest.some(isQuoted)
      return isAlone ? { start: at, end } : undefined
    }
    // Some programs mark no lines: all that follows is what was said before.
    if (introduced !== undefined && !lines.slice(introduced).some(isQuoted)) return { start: at, end: lines.length }
  }
  return undefined
}

/** Where what an introduction introduces begins; undefined where there is none at `at`. */
function introductionAt(lines: readonly string[], at: number): number | undefined {
  if (isQuoted(lines[at] ?? '')) return undefined
  let joined = ''
  for (let length = 1; length <= maxIntroductionLines; length++) {
    const line = lines[at + length - 1]?.trim() ?? ''
    if (line === '' || isQuoted(line)) return undefined
    joined = joined === '' ? line : `${joined} ${line}`
    if (joined.length > 400) return undefined
    if (!introductions.some((pattern) => pattern.test(joined)) || !/\d/.test(joined)) continue
    let start = at + length
    while (start < lines.length && lines[start]?.trim() === '') start++
    return start
  }
  return undefined
}

function startsHeader(lines: readonly string[], at: number): boolean {
  if (!firstOfHeader.test(lines[at] ?? '')) return false
  return lines.slice(at + 1, at + 7).filter((line) => moreOfHeader.test(line)).length >= 2
}

/** Outlook draws a line above such a header. */
function withRule(lines: readonly string[], at: number): number {
  let start = at
  while (start > 0 && /^(?:_{5,}|-{5,})?$/.test((lines[start - 1] ?? '').trim())) start--
  return start
}

function endOfQuote(lines: readonly string[], start: number): number {
  let end = start
  for (let at = start; at < lines.length && (isQuoted(lines[at] ?? '') || lines[at]?.trim() === ''); at++) {
    if (isQuoted(lines[at] ?? '')) end = at + 1
  }
  return end
}

function withoutSignature(lines: readonly string[]): readonly string[] {
  const mark = lines.findLastIndex((line) => /^-- ?$/.test(line))
  const isShort = mark > 0 && lines.length - mark <= maxSignatureLines && !isBlank(lines.slice(0, mark))
  const rest = isShort ? lines.slice(0, mark) : lines
  const last = rest.findLastIndex((line) => line.trim() !== '')
  const isDevice = last > 0 && deviceLine.test((rest[last] ?? '').trim()) && !isBlank(rest.slice(0, last))
  return isDevice ? rest.slice(0, last) : rest
}

/** Nothing but a signature. */
function isSignature(lines: readonly string[]): boolean {
  const shown = lines.filter((line) => line.trim() !== '')
  if (shown.length === 1) return deviceLine.test((shown[0] ?? '').trim())
  return /^-- ?$/.test(shown[0] ?? '') && shown.length <= maxSignatureLines
}

function isQuoted(line: string): boolean {
  return /^\s{0,3}>/.test(line)
}

function isBlank(lines: readonly string[]): boolean {
  return lines.every((line) => line.trim() === '')
}

function trimmed(lines: readonly string[]): string {
  // Without a pattern for the end: one takes the square of the white space in the middle.
  return lines
    .join('\n')
    .replace(/^(?:[^\S\n]*\n)+/, '')
    .trimEnd()
}
