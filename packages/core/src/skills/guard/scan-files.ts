import { fileKind } from './file-kind.ts'
import { verdictOf } from './finding.ts'
import type { GuardFinding, GuardReport } from './finding.ts'
import { scanText } from './scan-text.ts'

/** A file of a skill as the guard sees it. */
export interface GuardFile {
  /** Relative, with `/`. */
  readonly path: string
  /** Undefined where it is too large to be read, or a link. */
  readonly bytes?: Uint8Array
  readonly size: number
  /** Of a link: where it leads, and whether that is inside the skill. */
  readonly link?: { readonly target: string; readonly isInside: boolean }
}

/** What a skill may hold without a remark. */
export const structureLimits = { files: 50, totalBytes: 1024 * 1024, fileBytes: 256 * 1024 } as const

/** Most findings that a report holds. */
const maxFindings = 200

/** Looks through a skill's files: their text by the rules, and what they are. Runs and fetches nothing. */
export function scanFiles(files: readonly GuardFile[]): GuardReport {
  const findings = [...scanStructure(files), ...files.flatMap(scanFile)].slice(0, maxFindings)
  return { verdict: verdictOf(findings), findings, files: files.length }
}

function scanFile(file: GuardFile): GuardFinding[] {
  if (!file.bytes) return []
  const kind = fileKind(file.path, file.bytes)
  if (kind === 'text') return scanText(file.path, new TextDecoder().decode(file.bytes))
  if (kind === 'harmless') return []
  if (kind === 'program')
    return [
      structural('program', 'critical', file.path, 'is a program in machine code, which cannot be looked through'),
    ]
  if (kind === 'archive')
    return [structural('archive', 'medium', file.path, 'is an archive, which is not looked through')]
  return [structural('binary', 'medium', file.path, 'is a binary file of an unknown kind')]
}

function scanStructure(files: readonly GuardFile[]): GuardFinding[] {
  const found: GuardFinding[] = []
  const total = files.reduce((sum, { size }) => sum + size, 0)
  if (files.length > structureLimits.files) {
    found.push(structural('many-files', 'medium', '.', `has ${files.length} files, more than ${structureLimits.files}`))
  }
  if (total > structureLimits.totalBytes) {
    found.push(
      structural('large', 'medium', '.', `is ${kib(total)} KiB large, more than ${kib(structureLimits.totalBytes)}`),
    )
  }
  for (const { path, size, link } of files) {
    if (link && !link.isInside) {
      found.push(
        structural('link-outside', 'critical', path, `is a link out of the skill, to ${link.target.slice(0, 100)}`),
      )
    }
    if (size > structureLimits.fileBytes)
      found.push(structural('large-file', 'medium', path, `is ${kib(size)} KiB large`))
    if (path.split('/').some((part) => part === '.git' || part === '.ssh')) {
      found.push(structural('hidden-folder', 'high', path, 'lies in a folder that programs obey'))
    }
  }
  return found
}

function kib(bytes: number): number {
  return Math.ceil(bytes / 1024)
}

function structural(rule: string, severity: GuardFinding['severity'], file: string, meaning: string): GuardFinding {
  return { rule, category: 'structure', severity, file, line: 0, meaning, excerpt: '' }
}
