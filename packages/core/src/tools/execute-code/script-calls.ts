import { z } from 'zod'
import type { ToolContext } from '../tool.ts'
import type { ScriptTool } from './script-tools.ts'

const request = z.object({ tool: z.string(), args: z.record(z.string(), z.unknown()).default({}) })

/** Arguments that only a model can use: they last longer than the script. */
const strippedArgs: Readonly<Record<string, readonly string[]>> = {
  terminal: ['background', 'pty', 'notify_on_complete', 'watch_patterns'],
}

/** Answers a script's tool calls. */
export interface ScriptCalls {
  /** Calls made so far. */
  readonly count: number
  /** Answers a request (JSON) with a JSON text; never throws. */
  answer(line: string): Promise<string>
}

/** Each call goes the way that a model's call goes; of these tools alone, and no more than `most`. */
export function createScriptCalls(
  tools: readonly ScriptTool[],
  most: number,
  context: ToolContext,
  signal: AbortSignal,
): ScriptCalls {
  const names = new Set(tools.map(({ name }) => name))
  let count = 0
  return {
    get count() {
      return count
    },
    async answer(line) {
      const parsed = request.safeParse(parseJson(line))
      if (!parsed.success) return error('A request is one JSON object {tool, args}.')
      const { tool, args } = parsed.data
      if (!names.has(tool)) return error(`${tool} cannot be called by scripts. There are: ${[...names].join(', ')}.`)
      if (count >= most) return error(`The limit of ${most} tool calls of one script is reached.`)
      count++
      const given = Object.entries(args).filter(([name]) => !strippedArgs[tool]?.includes(name))
      const { content } = await context.call(tool, Object.fromEntries(given), signal)
      return parseJson(content) === undefined ? JSON.stringify({ output: content }) : content
    },
  }
}

function error(message: string): string {
  return JSON.stringify({ error: message })
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
