import { z } from 'zod'
import { withoutHints } from '../../context/subdirectory-hints-text.ts'

// What a tool's result comes to in words. Results are JSON objects as text, some with a line of advice after them; what
// is of no known form is shown as it is.

type Fields = Readonly<Record<string, unknown>>

/** The answer to the person, from what a tool answered. */
export function report(tool: string, args: Fields, content: string): string {
  if (tool === 'use_tool') return report(textOf(args['name']), argumentsOf(args), content)
  const result = parseResult(withoutHints(content))
  if (!result) return content
  const error = textOf(result['error'])
  if (error !== '' && tool !== 'terminal') return `That did not work: ${error}`
  const told = reports[tool]?.(result, args)
  return told ?? content
}

/** Of a tool that was called by way of another. */
function argumentsOf(args: Fields): Fields {
  const given = z.record(z.string(), z.unknown()).safeParse(args['arguments'])
  return given.success ? given.data : {}
}

const reports: Readonly<Record<string, (result: Fields, args: Fields) => string | undefined>> = {
  terminal: (result) => {
    const output = textOf(result['output']).trimEnd()
    const error = textOf(result['error'])
    const code = result['exit_code']
    const failed = typeof code === 'number' && code !== 0 ? `(exit code ${code})` : ''
    return [output, error, failed].filter((part) => part !== '').join('\n') || '(no output)'
  },
  read_file: (result) => textOf(result['content']) || '(the file is empty)',
  write_file: (result, args) => `Wrote ${textOf(args['path'])} (${numberOf(result['bytes_written'])} bytes).`,
  patch: (result) => ['Changed:', textOf(result['diff'])].join('\n').trim(),
  search_files: (result) => {
    const found = [...matches(result['matches']), ...texts(result['files'])]
    if (found.length === 0) return 'Nothing found.'
    const total = numberOf(result['total_count'])
    return [...found, total > found.length ? `(${found.length} of ${total})` : ''].join('\n').trim()
  },
  memory: (result, args) => {
    const done = args['action'] === 'remove' ? 'Forgotten.' : 'I will remember that.'
    return [done, textOf(result['message'])].join(' ').trim()
  },
  todo: (result) => {
    const items = z.array(todoItem).safeParse(result['todos'])
    if (!items.success || items.data.length === 0) return 'The task list is empty.'
    return items.data.map(({ id, content, status }) => `${marks[status] ?? '[ ]'} ${id}. ${content}`).join('\n')
  },
  session_search: (result) => {
    const sessions = z.array(session).safeParse(result['results'])
    if (!sessions.success || sessions.data.length === 0) return 'No such session found.'
    return sessions.data
      .map(({ session_id: id, title, when, started_at: startedAt, summary, preview }) => {
        const at = [title, when ?? startedAt].filter(Boolean).join(', ')
        return `- ${id}${at === '' ? '' : ` (${at})`}: ${(summary ?? preview ?? '').trim()}`
      })
      .join('\n')
  },
  cronjob: (result) => {
    const next = textOf(result['next_run_at'])
    return ['Scheduled.', textOf(result['message']), next === '' ? '' : `Next run: ${next}`]
      .filter((part) => part !== '')
      .join(' ')
  },
}

const marks: Readonly<Record<string, string>> = {
  pending: '[ ]',
  in_progress: '[>]',
  completed: '[x]',
  cancelled: '[-]',
}

const todoItem = z.object({ id: z.string(), content: z.string(), status: z.string() })

const optionalText = z
  .union([z.string(), z.number().transform(String)])
  .nullish()
  .catch(undefined)

const session = z.object({
  session_id: z.string(),
  title: optionalText,
  when: optionalText,
  started_at: optionalText,
  summary: optionalText,
  preview: optionalText,
})

const match = z.object({ path: z.string(), line: z.number(), content: z.string() })

function matches(value: unknown): readonly string[] {
  const parsed = z.array(match).safeParse(value)
  return parsed.success ? parsed.data.map(({ path, line, content }) => `${path}:${line}: ${content.trim()}`) : []
}

function texts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : []
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function numberOf(value: unknown): number {
  return typeof value === 'number' ? value : 0
}

/** The object at the beginning of a result. */
function parseResult(content: string): Fields | undefined {
  for (const text of [content, content.slice(0, content.lastIndexOf('}') + 1)]) {
    try {
      const value: unknown = JSON.parse(text)
      return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined
    } catch {
      continue
    }
  }
  return undefined
}
