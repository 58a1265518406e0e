import { typedText } from '../../context/references/attached-text.ts'
import type { ModelRequest } from '../model.ts'
import type { ToolCall, TranscriptMessage } from '../transcript.ts'
import { help, interrupted, whoIAm } from './instructions/talk.ts'
import { instructions } from './instructions/registry.ts'
import type { Instruction, Step } from './instruction.ts'
import { interpret } from './interpret.ts'
import { report } from './report.ts'

/** What the offline model answers: a call of a tool, or its last word. */
export type Reply =
  | { readonly type: 'call'; readonly call: ToolCall }
  | { readonly type: 'text'; readonly text: string }

/**
 * The next thing to answer, found anew from the conversation each time: the steps that the last instruction asks for,
 * less those whose results are there.
 */
export function reply({ messages, tools, toolChoice }: ModelRequest, howToConnect: string): Reply {
  const offered = new Set(toolChoice === 'none' ? [] : tools.map((tool) => tool.name))
  const at = messages.findLastIndex((message) => message.role === 'user')
  // What is attached is material: it must not become a part of a command.
  const text = typedText(messages[at]?.content ?? '')
  const known: readonly Instruction[] = [...instructions, interrupted, help(helpLines(offered), howToConnect)]
  const steps = interpret(text, known, { messages: messages.slice(0, at + 1), tools: offered })
  if (!steps) return { type: 'text', text: notUnderstood(howToConnect) }
  const results = messages.slice(at + 1).filter((message) => message.role === 'tool')
  return nextOf(steps, results, offered, callCount(messages))
}

function nextOf(
  steps: readonly Step[],
  results: readonly Extract<TranscriptMessage, { role: 'tool' }>[],
  offered: ReadonlySet<string>,
  callsSoFar: number,
): Reply {
  const told: string[] = []
  let done = 0
  for (const step of steps) {
    const result = step.type === 'call' ? results[done] : undefined
    if (step.type === 'say') told.push(step.text)
    else if (result) {
      done++
      told.push(report(step.tool, step.args, result.content))
    } else if (!offered.has(step.tool)) told.push(`The tool ${step.tool} is not available here, so I cannot do that.`)
    else {
      const id = `offline_${callsSoFar + 1}`
      return { type: 'call', call: { id, name: step.tool, arguments: JSON.stringify(step.args) } }
    }
  }
  return { type: 'text', text: told.join('\n\n') }
}

function callCount(messages: readonly TranscriptMessage[]): number {
  return messages.reduce((sum, message) => sum + (message.role === 'assistant' ? message.toolCalls.length : 0), 0)
}

function helpLines(offered: ReadonlySet<string>): readonly string[] {
  return instructions
    .filter((instruction) => isPossible(instruction, offered))
    .map(({ example, does }) => `- ${example} — ${does}`)
}

/** Whether the instruction's own example could be followed with the tools there are. */
function isPossible(instruction: Instruction, offered: ReadonlySet<string>): boolean {
  const steps = interpret(instruction.example, [instruction], { messages: [], tools: offered })
  return (steps ?? []).every((step) => step.type === 'say' || offered.has(step.tool))
}

function notUnderstood(howToConnect: string): string {
  return `${whoIAm} That was none that I know. Try “help”, “run: ls” or “read FILE”.\n\n${howToConnect}`
}
