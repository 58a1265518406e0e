import type { z } from 'zod'
import { HttpError } from '../http/http-error.ts'

type Issue = z.core.$ZodIssue

/** A body that is not as it is to be, told in one sentence: which field of it, and what is taken there. */
export function invalidBody({ issues }: z.ZodError, body: unknown): HttpError {
  const [first] = issues
  const found = first ? innermost(first) : undefined
  if (!found) return new HttpError(400, 'invalid_request', 'The body is not what is asked for.')
  const path = pathText(found.path)
  const param = path === '' ? {} : { param: path }
  if (found.code === 'custom') return new HttpError(400, 'invalid_request', found.message, param)
  const value = valueAt(body, found.path)
  const accepted = acceptedBy(found)
  const message =
    value === undefined && path !== ''
      ? `${path} is missing: it must be ${accepted}.`
      : `${path || 'The body'} must be ${accepted}${isOfKind(found) ? '' : `, not ${kindOf(value)}`}.`
  return new HttpError(400, 'invalid_request', message, param)
}

/** Of several forms that are taken, one that the value has begun to have says what is wrong in it. */
function innermost(issue: Issue): Issue {
  if (issue.code !== 'invalid_union') return issue
  const inner = issue.errors.map(([first]) => first).find((first) => first && first.path.length > 0)
  return inner ? innermost({ ...inner, path: [...issue.path, ...inner.path] }) : issue
}

function pathText(path: readonly PropertyKey[]): string {
  return path
    .map((part, at) => (typeof part === 'number' ? `[${part}]` : `${at === 0 ? '' : '.'}${String(part)}`))
    .join('')
}

function valueAt(body: unknown, path: readonly PropertyKey[]): unknown {
  let value = body
  for (const part of path) {
    value =
      typeof value === 'object' && value !== null ? (value as Readonly<Record<PropertyKey, unknown>>)[part] : undefined
  }
  return value
}

const kinds: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
  null: 'null',
}

function kindOf(value: unknown): string {
  if (typeof value === 'boolean' || typeof value === 'number') return String(value)
  if (value === null) return 'null'
  return Array.isArray(value) ? 'a list' : (kinds[typeof value] ?? typeof value)
}

/** Whether it is right but for what it holds. */
function isOfKind({ code }: Issue): boolean {
  return code === 'too_small' || code === 'too_big' || code === 'invalid_value'
}

function acceptedBy(issue: Issue): string {
  if (issue.code === 'invalid_type') return kinds[issue.expected] ?? issue.expected
  if (issue.code === 'invalid_value') return `one of ${issue.values.map(String).join(', ')}`
  if (issue.code === 'too_small') return limited('at least', issue.minimum, issue.origin)
  if (issue.code === 'too_big') return limited('at most', issue.maximum, issue.origin)
  if (issue.code === 'invalid_union') {
    return issue.errors.flatMap(([first]) => (first ? [acceptedBy(first)] : [])).join(' or ')
  }
  return 'of another form'
}

function limited(how: string, limit: number | bigint, origin: string): string {
  return `${how} ${limit}${origin === 'string' ? ` ${Number(limit) === 1 ? 'character' : 'characters'} long` : ''}`
}
