import { basename, dirname } from 'node:path'
import type { FileHandle } from 'node:fs/promises'
import { z } from 'zod'
import { checkRead, fileRules, openChecked } from '../security/file-safety.ts'
import type { CheckedPath } from '../security/file-safety.ts'
import { finishChanges } from './change-journal.ts'
import { refuseCredentials } from './credential-consent.ts'
import { answeringFileErrors } from './file-errors.ts'
import { kindByName, kindSampleBytes, looksBinary } from './file-kind.ts'
import { seenIn } from './changed-since-read.ts'
import { isSameVersion, versionOf } from './file-reads.ts'
import { circleLimit, circleWarning } from './look-circles.ts'
import { readLines } from './read-lines.ts'
import type { LinePage } from './read-lines.ts'
import { similarIn } from './similar-names.ts'
import { defineTool, jsonResult } from './tool.ts'
import type { ToolContext, ToolResult } from './tool.ts'

const maxLines = 2_000
const maxLineChars = 2_000

/** A file beyond this deserves a hint to read less of it at a time, bytes. */
const largeFileBytes = 512_000

const input = z.object({
  path: z.string().describe('Absolute, relative to the working directory, or ~/…'),
  offset: z.int().default(1).describe('First line, from 1'),
  limit: z.int().default(500).describe(`Number of lines, at most ${maxLines}`),
})

type Input = z.infer<typeof input>

export const readFile = defineTool({
  name: 'read_file',
  toolset: 'file',
  description: `Read a text file with numbered lines ("LINE|text"). Page through long files with offset and limit; lines over ${maxLineChars} characters are cut. Secrets are masked. Use this instead of cat, head or tail.`,
  input,
  concurrency: 'parallel',
  // It limits itself, and a page kept in another file would have to be read again.
  maxResultChars: Number.POSITIVE_INFINITY,
  preview: ({ path }) => path,
  run: answeringFileErrors(async (args, context) => {
    const range = { offset: Math.max(1, args.offset), limit: Math.min(maxLines, Math.max(1, args.limit)) }
    await finishChanges(context.agent.home)
    const checked = await checkRead(args.path, fileRules(context))
    if (!checked.stats) return missing(checked)
    if (checked.stats.isDirectory()) {
      return failure(
        `${checked.asked} is a folder. List it with search_files (target files, path "${args.path}", pattern "*").`,
      )
    }
    const refused = await refuseCredentials(checked, context)
    if (refused) return refused
    await using file = await openChecked(checked)
    return await readPage(file, checked, range, context)
  }),
})

async function readPage(
  file: FileHandle,
  checked: CheckedPath,
  range: Required<Pick<Input, 'offset' | 'limit'>>,
  context: ToolContext,
): Promise<ToolResult> {
  const { asked, path } = checked
  const { fileReads } = context.session
  const stats = await file.stat({ bigint: true })
  const version = versionOf(stats)
  const part = `${range.offset}:${range.limit}`
  const looks = fileReads.countLook(`read_file ${part} ${version.modifiedNs} ${version.changedNs} ${path}`)
  if (looks >= circleLimit) {
    return failure(
      `BLOCKED: ${asked} was read ${looks} times in a row with the same range and has not changed. Use what you have, or do something else.`,
    )
  }
  const warning = circleWarning(looks)
  if (fileReads.isKnown(path, part, version)) {
    return jsonResult({
      content: '(unchanged since you read these lines; see the earlier result)',
      dedup: true,
      ...warning,
    })
  }
  const size = Number(stats.size)
  const kind = kindByName(path)
  if (kind !== 'text') return notText(asked, { kind, size }, context)
  if (await isBinary(file)) return notText(asked, { kind: 'binary', size }, context)

  const page = await readLines(file, range, context.signal)
  const fileSize = Math.max(size, page.isWhole ? page.bytes : 0)
  const content = numbered(redacted(page.lines, context), range.offset)
  const maxChars = context.agent.config.file_read_max_chars
  if (content.length > maxChars) {
    return failure(
      `These lines have ${content.length} characters, more than the ${maxChars} that can be shown at once. Read fewer (offset, limit), or find the place with search_files.`,
      { total_lines: page.totalLines, file_size: fileSize },
    )
  }
  const seen = await seenIn(file)
  // What was shown is what counts, should it have been changed meanwhile.
  fileReads.remember(checked, part, isSameVersion(seen.version, version) ? seen : { version, digest: undefined })
  return jsonResult({ content, ...facts(page, fileSize, range), ...warning })
}

/** What is told beside the lines themselves. */
function facts(page: LinePage, fileSize: number, { offset, limit }: { offset: number; limit: number }) {
  const last = offset + page.lines.length - 1
  const truncated = page.totalLines > last && page.lines.length > 0
  const total = `${page.isWhole ? '' : 'at least '}${page.totalLines}`
  const hint = truncated
    ? `Lines ${offset}-${last} of ${total}. Use offset=${last + 1} to go on.`
    : page.lines.length === 0 && page.totalLines > 0
      ? `The file has only ${total} lines.`
      : undefined
  const isLarge = fileSize > largeFileBytes && limit > 200 && truncated
  return {
    total_lines: page.totalLines,
    file_size: fileSize,
    truncated,
    ...(hint && { hint }),
    is_binary: false,
    is_image: false,
    ...(isLarge && { _hint: 'The file is large: search_files finds the lines you need, then read around them.' }),
  }
}

async function isBinary(file: FileHandle): Promise<boolean> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(kindSampleBytes), 0, kindSampleBytes, 0)
  return looksBinary(buffer.subarray(0, bytesRead))
}

function notText(
  path: string,
  { kind, size }: { readonly kind: 'image' | 'binary'; readonly size: number },
  context: ToolContext,
): ToolResult {
  const what = kind === 'image' ? 'an image' : 'a binary file'
  const advice = kind === 'image' ? imageAdvice(context) : 'Use a command that knows its format.'
  return failure(`${path} is ${what} (${size} bytes). ${advice}`, {
    file_size: size,
    is_binary: true,
    is_image: kind === 'image',
  })
}

function imageAdvice({ tools }: ToolContext): string {
  return tools.has('vision_analyze') ? 'Look at it with vision_analyze.' : 'Its picture cannot be read as text.'
}

async function missing({ asked, path }: CheckedPath): Promise<ToolResult> {
  const similar = await similarIn(dirname(path), basename(path))
  return failure(`File not found: ${asked}`, similar.length > 0 ? { similar_files: similar } : {})
}

/** Masks secrets without moving a line. */
function redacted(lines: readonly string[], { agent }: ToolContext): readonly string[] {
  const whole = lines.join('\n')
  const clean = agent.redactor.redact(whole)
  if (clean === whole) return lines
  const cleanLines = clean.split('\n')
  return cleanLines.length === lines.length ? cleanLines : lines.map((line) => agent.redactor.redact(line))
}

function numbered(lines: readonly string[], first: number): string {
  return lines.map((line, index) => `${String(first + index).padStart(6)}|${cut(line)}`).join('\n')
}

function cut(line: string): string {
  return line.length > maxLineChars ? `${line.slice(0, maxLineChars).toWellFormed()}… [cut]` : line
}

function failure(error: string, more: Readonly<Record<string, unknown>> = {}): ToolResult {
  return jsonResult({ error, ...more }, 'error')
}
