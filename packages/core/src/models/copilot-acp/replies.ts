import { openHome } from '../../config/home.ts'
import { FileSafetyError } from '../../security/file-safety-error.ts'
import { isWithin } from '../../security/file-safety-guard.ts'
import { realTarget } from '../../security/file-safety-resolve.ts'
import { checkRead, checkWrite, openChecked } from '../../security/file-safety.ts'
import type { CheckedPath, FileRules } from '../../security/file-safety.ts'
import { writeFileAtomic } from '../../storage/atomic-write.ts'
import { fields, objects, text } from '../wire/json-fields.ts'
import type { Fields } from '../wire/json-fields.ts'
import type { Reply } from './connection.ts'
import type { AcpDialect } from './dialect.ts'

const invalidParams = -32602
const methodNotFound = -32601
const notThere = -32002

/** Largest file that is handed over, bytes. */
const maxFileBytes = 8 * 1024 * 1024

/**
 * What the program gets for its own requests. Files: those of its folder, by the rules that hold for tools. Permissions:
 * none, since nobody can be asked in the middle of a model's answer; the tools that ask are those of Hermes.
 */
export function createReplies(dialect: AcpDialect): (method: string, params: Fields) => Promise<Reply> {
  const { environment, folder, home = openHome(environment) } = dialect
  const rules: FileRules = { home, environment, cwd: folder }
  return async (method, params) => {
    try {
      if (method === 'fs/read_text_file') return await read(params, rules)
      if (method === 'fs/write_text_file') return await write(params, rules)
    } catch (error) {
      if (error instanceof FileSafetyError) return refusal(invalidParams, error.message)
      const code = error instanceof Error && 'code' in error ? String(error.code) : undefined
      if (code === undefined) throw error
      return refusal(code === 'ENOENT' ? notThere : invalidParams, `The file cannot be used (${code}).`)
    }
    if (method === 'session/request_permission') return deny(params)
    return refusal(methodNotFound, `Hermes has no method ${method}.`)
  }
}

async function read({ path, line, limit }: Fields, rules: FileRules): Promise<Reply> {
  const checked = await inFolder(path, rules, checkRead)
  if (typeof checked === 'string') return refusal(invalidParams, checked)
  if (!checked.stats) return refusal(notThere, `There is no file ${checked.asked}.`)
  if (!checked.stats.isFile()) return refusal(invalidParams, `${checked.asked} is no file.`)
  if (checked.stats.size > maxFileBytes) return refusal(invalidParams, `${checked.asked} is larger than 8 MiB.`)
  await using file = await openChecked(checked)
  const content = await file.readFile('utf8')
  if (line === undefined && limit === undefined) return { result: { content } }
  // Lines keep their ends, so that what is read piece by piece is the file.
  const lines = content.split(/(?<=\n)/)
  const from = Math.max(0, whole(line, 1) - 1)
  return { result: { content: lines.slice(from, from + whole(limit, lines.length)).join('') } }
}

async function write({ path, content }: Fields, rules: FileRules): Promise<Reply> {
  if (typeof content !== 'string') return refusal(invalidParams, 'The content must be a text.')
  const checked = await inFolder(path, rules, checkWrite)
  if (typeof checked === 'string') return refusal(invalidParams, checked)
  if (checked.stats && !checked.stats.isFile()) return refusal(invalidParams, `${checked.asked} is no file.`)
  await writeFileAtomic(checked.path, content, { mode: 0o644 })
  return { result: {} }
}

/** The path by the rules, or what is wrong with it. */
async function inFolder(
  path: unknown,
  rules: FileRules,
  check: (path: string, rules: FileRules) => Promise<CheckedPath>,
): Promise<CheckedPath | string> {
  if (typeof path !== 'string' || !path.startsWith('/')) return 'The path must be absolute.'
  const checked = await check(path, rules)
  return isWithin(checked.path, await realTarget(rules.cwd)) ? checked : `${path} is outside of ${rules.cwd}.`
}

function deny({ options, toolCall }: Fields): Reply {
  const call = fields(toolCall)
  const refused = (text(call?.['title']) ?? text(call?.['kind']) ?? 'use a tool of its own').slice(0, 200)
  const choices = objects(options)
  const no = ['reject_once', 'reject_always'].flatMap((kind) => choices.filter((choice) => choice['kind'] === kind))[0]
  const outcome = no ? { outcome: 'selected', optionId: no['optionId'] } : { outcome: 'cancelled' }
  return { result: { outcome }, refused }
}

function refusal(code: number, message: string): Reply {
  return { error: { code, message } }
}

function whole(value: unknown, fallback: number): number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : fallback
}
