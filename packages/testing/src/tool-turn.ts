import { nobody } from '@hermes/core/agent/decision.ts'
import type { FaceInfo } from '@hermes/core/agent/turn.ts'
import { startScriptedAgent } from './scripted-agent.ts'
import type { ScriptedAgentOptions } from './scripted-agent.ts'
import type { RecordedRequest, ScriptedAnswer } from './scripted-model/answer.ts'

export interface ToolTurnOptions extends Omit<ScriptedAgentOptions, 'script'> {
  readonly tool: string
  readonly args: Readonly<Record<string, unknown>>
  /** Toolsets of the turn; the face's own when absent. */
  readonly toolsets?: readonly string[]
  /** How the face differs from the terminal's. */
  readonly face?: Partial<FaceInfo>
  /** Answers requests that are not the turn's own, such as those of side tasks; undefined for the turn's own. */
  readonly aside?: (request: RecordedRequest) => ScriptedAnswer | undefined
  /** Runs before the turn begins, with the folder that the agent works in. */
  readonly prepare?: (work: string) => Promise<void>
}

export interface ToolTurn {
  /** What the JSON of the result says. Each tool has its own shape; tests look at single values of it. */
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly json: any
  readonly content: string
  readonly status: string
  /** What people saw while the tool ran. */
  readonly progress: readonly string[]
  readonly requests: readonly RecordedRequest[]
}

/** One turn in which a scripted model calls one tool. */
export async function runToolTurn(options: ToolTurnOptions): Promise<ToolTurn> {
  const { tool, args, toolsets, aside, prepare, face, ...rest } = options
  let hasCalled = false
  await using agent = await startScriptedAgent({
    ...rest,
    config: `tools: {search: never}\n${rest.config ?? ''}`,
    script: (request) => {
      const answer = aside?.(request)
      if (answer) return answer
      if (hasCalled) return { text: 'Done.' }
      hasCalled = true
      return { toolCalls: [{ name: tool, arguments: args }] }
    },
  })
  await prepare?.(agent.work)
  const events = await agent.turn('s', 'Use it.', {
    ...(toolsets && { toolsets }),
    ...(face && { face: { name: 'cli', decide: nobody, ...face } }),
  })
  const end = events.find((event) => event.type === 'tool-end')
  if (!end) throw new Error(`no tool was called: ${JSON.stringify(events)}`)
  const progress = events.flatMap((event) => (event.type === 'tool-progress' ? [event.text] : []))
  const { content, status } = end
  return { json: JSON.parse(content), content, status, progress, requests: agent.model.requests }
}
