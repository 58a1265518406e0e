import type { Redactor } from '../security/redact.ts'
import type { ToolHandle } from '../tools/tool-source.ts'
import type { MemoryProviderTool } from './memory-provider.ts'
import { MemoryProviderError } from './memory-provider-error.ts'

/** Longest that a call of a provider's tool may take, ms. */
const callTimeoutMs = 60_000

/** A provider's tool as the agent calls it: bounded in time, and no secret goes into a memory. */
export function providerToolHandle(tool: MemoryProviderTool, provider: string, redactor: Redactor): ToolHandle {
  const { name, description, parameters, concurrency } = tool
  return {
    name,
    toolset: 'memory',
    concurrency,
    schema: { name, description, parameters },
    async open() {
      const { anyArguments } = await import('../tools/any-arguments.ts')
      return {
        name,
        toolset: 'memory',
        description,
        input: anyArguments,
        concurrency,
        preview: (args) => previewOf(args),
        async run(args, { signal }) {
          refuseSecrets(args, redactor)
          const timeout = AbortSignal.timeout(callTimeoutMs)
          try {
            const content = await tool.run(args, AbortSignal.any([signal, timeout]))
            return { content: redactor.redact(content), status: isError(content) ? 'error' : 'ok' }
          } catch (error) {
            if (!timeout.aborted || signal.aborted) throw error
            const message = `The memory provider ${provider} did not answer within ${callTimeoutMs / 1000} s.`
            throw new MemoryProviderError('unreachable', message, { cause: error })
          }
        },
      }
    },
  }
}

function refuseSecrets(args: unknown, redactor: Redactor): void {
  const text = JSON.stringify(args)
  if (redactor.redact(text) === text) return
  throw new MemoryProviderError(
    'invalid',
    'That has a password or key in it, and a memory is no place for one. Say where it is kept, not what it is.',
  )
}

/** The values that say most: `search tea`. */
function previewOf(args: unknown): string {
  if (typeof args !== 'object' || args === null) return ''
  const texts = Object.values(args).filter((value) => typeof value === 'string' || typeof value === 'number')
  return texts.join(' ').slice(0, 200)
}

function isError(content: string): boolean {
  return content.startsWith('{"error":')
}
