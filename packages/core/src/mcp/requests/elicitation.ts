import { randomUUID } from 'node:crypto'
import type { ElicitRequestParams, ElicitResult } from '@modelcontextprotocol/client'
import type { DecisionAnswer, DecisionRequest } from '../../agent/decision.ts'
import { isLoopback } from '../../models/net/address.ts'
import type { ToolContext } from '../../tools/tool.ts'
import type { ActiveCalls } from '../active-calls.ts'
import { elicitationFields, type ElicitationField, type FieldValue, maxFields } from './elicitation-fields.ts'

/** Longest text of a server in a question, characters. */
const shownChars = 1_000

/** How often a question whose answer does not fit is asked. */
const maxAsked = 3

const decline = 'Decline'

/** Most choices that a question offers. */
const maxChoices = 4

type Asker = Pick<ToolContext, 'decide' | 'agent'>

/**
 * Asks the person what a server wants to know, one question a field, or to open a page. Declined where nobody can be
 * asked, or where it is not clear for whom the server asks; its call's time does not run meanwhile.
 */
export async function elicit(
  params: ElicitRequestParams,
  { server, calls, signal }: { readonly server: string; readonly calls: ActiveCalls; readonly signal: AbortSignal },
): Promise<ElicitResult> {
  const call = calls.ofOneSession()
  if (!call) return { action: 'decline' }
  const goOn = call.deadline.pause()
  const ending = AbortSignal.any([signal, call.context.signal])
  try {
    if (params.mode === 'url') return await askToOpen(params, server, call.context, ending)
    return await askForm(params, server, call.context, ending)
  } finally {
    goOn()
  }
}

async function askForm(
  params: Exclude<ElicitRequestParams, { mode: 'url' }>,
  server: string,
  asker: Asker,
  signal: AbortSignal,
): Promise<ElicitResult> {
  const fields = elicitationFields(params.requestedSchema)
  if (fields.length > maxFields) return { action: 'decline' }
  const intro = `The MCP server ${server} asks: ${shown(params.message, asker)}`
  if (fields.length === 0) {
    const answer = await clarify(`${intro}\nAgree?`, ['Accept', decline], asker, signal)
    return { action: answer === undefined ? 'decline' : answer === 'Accept' ? 'accept' : 'decline', content: {} }
  }
  const content: Record<string, FieldValue> = {}
  for (const [index, field] of fields.entries()) {
    const value = await askField(field, index === 0 ? `${intro}\n` : '', asker, signal)
    if (value === declined) return { action: 'decline' }
    if (value !== undefined) content[field.key] = value
  }
  return { action: 'accept', content }
}

const declined = Symbol('declined')

async function askField(
  field: ElicitationField,
  intro: string,
  asker: Asker,
  signal: AbortSignal,
): Promise<FieldValue | undefined | typeof declined> {
  const fallback = field.default === undefined ? '' : `, ${String(field.default)} when empty`
  const rest = field.isRequired ? fallback : fallback || ', may stay empty'
  const question = `${intro}${shown(field.label, asker)} [${shown(field.hint, asker)}${rest}]`
  const offered = field.choices.length < maxChoices ? [...field.choices, decline] : []
  for (let asked = 0; asked < maxAsked; asked++) {
    const again = asked === 0 ? '' : 'That does not fit. '
    const answer = field.isSecret
      ? await secret(`${again}${question}`, asker, signal)
      : await clarify(`${again}${question}`, field.choices.length > 0 ? offered : [], asker, signal)
    if (answer === undefined || answer === decline) return declined
    if (answer.trim() === '' && (!field.isRequired || field.default !== undefined)) return field.default
    const value = field.read(answer)
    if (value !== undefined) return value
  }
  return declined
}

async function askToOpen(
  { message, url }: { readonly message: string; readonly url: string },
  server: string,
  asker: Asker,
  signal: AbortSignal,
): Promise<ElicitResult> {
  const page = URL.parse(url)
  const isSafe = page?.protocol === 'https:' || (page?.protocol === 'http:' && isLoopback(page.hostname))
  if (!page || !isSafe) return { action: 'decline' }
  // The address is what the person judges by: never shortened, never masked.
  const question = `The MCP server ${server} asks you to open a page at ${page.host}: ${shown(message, asker)}\n${page.href}\nOpen it in a browser if you trust it.`
  const answer = await clarify(question, ['I have opened it', decline], asker, signal)
  return { action: answer === undefined || answer === decline ? 'decline' : 'accept' }
}

async function clarify(
  question: string,
  choices: readonly string[],
  asker: Asker,
  signal: AbortSignal,
): Promise<string | undefined> {
  const answer = await ask({ kind: 'clarify', id: randomUUID(), question, choices }, asker, signal)
  return answer.kind === 'clarify' && answer.outcome === 'answered' ? (answer.answer ?? '') : undefined
}

async function secret(prompt: string, asker: Asker, signal: AbortSignal): Promise<string | undefined> {
  const answer = await ask({ kind: 'secret', id: randomUUID(), prompt }, asker, signal)
  return answer.kind === 'secret' && answer.outcome === 'answered' ? answer.value : undefined
}

function ask(request: DecisionRequest, { decide }: Asker, signal: AbortSignal): Promise<DecisionAnswer> {
  return decide(request, signal)
}

function shown(text: string, { agent }: Asker): string {
  const bounded = text.length > shownChars ? `${text.slice(0, shownChars)} …`.toWellFormed() : text
  return agent.redactor.redact(bounded)
}
