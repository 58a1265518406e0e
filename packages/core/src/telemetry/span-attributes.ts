import type { Attributes } from '@opentelemetry/api'
import type { Work, WorkEnd } from '../agent/work-observer.ts'
import type { Usage } from '../models/model.ts'

/** Longest text that a span carries, characters. */
const maxTextChars = 8192

/** What a span is called and says of its work, in the words of OpenTelemetry's conventions (GenAI, HTTP, messaging). */
export function spanOf(work: Work): { readonly name: string; readonly attributes: Attributes } {
  switch (work.kind) {
    case 'turn':
      return {
        name: 'invoke_agent hermes',
        attributes: {
          'gen_ai.operation.name': 'invoke_agent',
          'gen_ai.agent.name': 'hermes',
          'gen_ai.conversation.id': work.sessionId,
          'hermes.face': work.face,
          'hermes.sub_agent': work.isSubAgent,
        },
      }
    case 'model-call':
      return {
        name: `chat ${work.model}`,
        attributes: {
          'gen_ai.operation.name': 'chat',
          'gen_ai.provider.name': work.provider,
          'gen_ai.request.model': work.model,
        },
      }
    case 'tool-call':
      return {
        name: `execute_tool ${work.tool}`,
        attributes: {
          'gen_ai.operation.name': 'execute_tool',
          'gen_ai.tool.name': work.tool,
          'gen_ai.tool.call.id': work.callId,
        },
      }
    case 'delivery':
      return {
        name: `send ${work.platform}`,
        attributes: {
          'messaging.system': work.platform,
          'messaging.operation.type': 'send',
          'hermes.delivery.part': work.part,
        },
      }
    case 'job-run':
      return { name: 'run_job', attributes: { 'hermes.job.id': work.jobId } }
    case 'request':
      return {
        name: `${work.method} ${work.route}`,
        attributes: { 'http.request.method': work.method, 'http.route': work.route },
      }
  }
}

/** What is known of the work when it has ended. */
export function endAttributes({ status, code, usage, modelCalls }: WorkEnd): Attributes {
  return {
    ...(/^\d{3}$/.test(status) ? { 'http.response.status_code': Number(status) } : { 'hermes.status': status }),
    ...(code !== undefined && { 'error.type': code }),
    ...(modelCalls !== undefined && { 'hermes.model_calls': modelCalls }),
    ...(usage && usageAttributes(usage)),
  }
}

function usageAttributes(usage: Usage): Attributes {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, costUsd } = usage
  return {
    'gen_ai.usage.input_tokens': inputTokens + cacheReadTokens + cacheWriteTokens,
    'gen_ai.usage.output_tokens': outputTokens,
    'gen_ai.usage.cache_read.input_tokens': cacheReadTokens,
    'gen_ai.usage.cache_creation.input_tokens': cacheWriteTokens,
    ...(costUsd !== undefined && { 'hermes.cost_usd': costUsd }),
  }
}

/** What was said, for those who asked for it. */
export function textAttributes(
  work: Work,
  when: 'begin' | 'end',
  text: (() => string) | undefined,
  redact: (text: string) => string,
): Attributes {
  const name = textNames[work.kind]?.[when]
  return name === undefined || text === undefined ? {} : { [name]: redact(text()).slice(0, maxTextChars) }
}

const textNames: Partial<Record<Work['kind'], Readonly<Record<'begin' | 'end', string>>>> = {
  turn: { begin: 'hermes.input.text', end: 'hermes.output.text' },
  'tool-call': { begin: 'gen_ai.tool.call.arguments', end: 'gen_ai.tool.call.result' },
}
