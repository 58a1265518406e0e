import { hasInvisibleText } from '../../security/injection/invisible.ts'
import type { GuardFinding } from './finding.ts'
import { decodedTexts, lineAt, plainText } from './plain-text.ts'
import type { GuardRule } from './rule.ts'
import { guardRules } from './rules.ts'

/** Longer lines are looked at in pieces of this length, which overlap so that nothing hides on an edge. */
const pieceChars = 2_000
const overlapChars = 600

/** Findings of one rule in one file that are told. */
const maxOfOneRule = 3
const maxExcerptChars = 100

const lineRules = guardRules.filter(({ category }) => category !== 'injection')
const wholeTextRules = guardRules.filter(({ category }) => category === 'injection')

/** Looks for everything that the rules know in one file's text. */
export function scanText(file: string, text: string): GuardFinding[] {
  const plain = plainText(text)
  const found = [...invisibleText(file, text), ...scanPlain(file, plain)]
  for (const { line, text: hidden } of decodedTexts(plain)) {
    const inside = scanPlain(file, hidden).filter(({ category }) => category !== 'credential_exposure')
    found.push(...inside.map((finding) => ({ ...finding, line, meaning: `${finding.meaning} (written in base64)` })))
  }
  return found
}

function scanPlain(file: string, text: string): GuardFinding[] {
  const found: GuardFinding[] = []
  for (const rule of wholeTextRules) {
    for (const match of matches(rule, text)) found.push(finding(file, lineAt(text, match.index), rule, match[0]))
  }
  const counts = new Map<string, number>()
  for (const { line, text: whole } of logicalLines(text)) {
    for (const piece of pieces(whole)) {
      for (const rule of lineRules) {
        const match = rule.pattern.exec(piece)
        if (!match) continue
        const count = (counts.get(rule.id) ?? 0) + 1
        counts.set(rule.id, count)
        if (count <= maxOfOneRule) found.push(finding(file, line, rule, match[0]))
      }
    }
  }
  return found
}

function matches({ pattern }: GuardRule, text: string): RegExpExecArray[] {
  const global = new RegExp(pattern.source, `${pattern.flags}g`)
  const found: RegExpExecArray[] = []
  for (let match = global.exec(text); match && found.length < maxOfOneRule; match = global.exec(text)) found.push(match)
  return found
}

/** Lines as a shell reads them: one that ends in a backslash goes on in the next. Each with the number of its first. */
function* logicalLines(text: string): Generator<{ line: number; text: string }> {
  let start = 1
  let joined = ''
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (joined === '') start = index + 1
    if (line.endsWith('\\') && joined.length < pieceChars) {
      joined += `${line.slice(0, -1)} `
      continue
    }
    const whole = joined + line
    joined = ''
    if (whole.trim() !== '') yield { line: start, text: whole }
  }
  if (joined.trim() !== '') yield { line: start, text: joined }
}

function* pieces(line: string): Generator<string> {
  if (line.length <= pieceChars) {
    yield line
    return
  }
  for (let at = 0; at < line.length; at += pieceChars - overlapChars) yield line.slice(at, at + pieceChars)
}

function finding(file: string, line: number, rule: GuardRule, excerpt: string): GuardFinding {
  const { id, category, severity, meaning } = rule
  return { rule: id, category, severity, file, line, meaning, excerpt: shown(rule, excerpt) }
}

/** A found secret is not repeated. */
function shown({ category }: GuardRule, excerpt: string): string {
  const text = excerpt.replaceAll(/\s+/g, ' ').trim()
  if (category === 'credential_exposure' && /^\S{16,}$/.test(text)) return `${text.slice(0, 6)}…`
  return text.length > maxExcerptChars ? `${text.slice(0, maxExcerptChars).toWellFormed()}…` : text
}

function invisibleText(file: string, text: string): GuardFinding[] {
  const own = text.replace(/^\uFEFF/, '')
  if (!hasInvisibleText(own)) return []
  const index = text.search(/[\u200B-\u200D\u2060\u202A-\u202E\u2066-\u2069\u{E0000}-\u{E007F}]|(?<!^)\uFEFF/u)
  // Marks that turn the direction of text and invisible letters serve to hide; a stray zero-width space may be an accident.
  const hides = /[\u202A-\u202E\u2066-\u2069\u{E0000}-\u{E007F}]/u.test(text)
  return [
    {
      rule: 'invisible-characters',
      category: 'injection',
      severity: hides ? 'critical' : 'high',
      file,
      line: index < 0 ? 0 : lineAt(text, index),
      meaning: 'holds characters that people do not see',
      excerpt: '',
    },
  ]
}
