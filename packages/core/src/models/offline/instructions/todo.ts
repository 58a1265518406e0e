import { z } from 'zod'
import type { TranscriptMessage } from '../../transcript.ts'
import { call, plain } from '../instruction.ts'
import type { Instruction } from '../instruction.ts'
import { pattern } from '../pattern.ts'

export const addTodo: Instruction = {
  example: 'todo: water the plants',
  does: 'puts something on the task list',
  patterns: [
    pattern`(?:add )?(?:a )?(?:todo|to-do|task)\s*[:：]\s*{rest}`,
    pattern`add {text} to (?:my |the )?(?:todo|to-do|task)s?(?: list)?`,
    pattern`add (?:a )?(?:todo|to-do|task) {rest}`,
    pattern`todo {rest}`,
  ],
  step: ([text = ''], { messages }) =>
    call('todo', { todos: [{ id: nextId(messages), content: plain(text), status: 'pending' }], merge: true }),
}

export const showTodos: Instruction = {
  example: 'show todos',
  does: 'shows the task list',
  patterns: [pattern`(?:(?:show|list) )?(?:me )?(?:my |the )?(?:todo|to-do|task)s?(?: list)?\s*\??`],
  step: () => call('todo', {}),
}

export const finishTodo: Instruction = {
  example: 'done 1',
  does: 'ticks off a task by its number',
  patterns: [
    pattern`(?:done|finish(?:ed)?|completed?|tick off) (?:todo |task )?#?(\d{1,9})`,
    pattern`mark (?:todo |task )?#?(\d{1,9}) (?:as )?done`,
  ],
  step: ([id = '']) => call('todo', { todos: [{ id, status: 'completed' }], merge: true }),
}

const todoResult = z.object({ todos: z.array(z.object({ id: z.string() })) })

/** One more than the highest number in the list, as its last result shows it. */
function nextId(messages: readonly TranscriptMessage[]): string {
  const last = messages.findLast((message) => message.role === 'tool' && message.toolName === 'todo')
  const parsed = last ? todoResult.safeParse(json(last.content)) : undefined
  const numbers = (parsed?.data?.todos ?? []).map(({ id }) => Number(id)).filter(Number.isSafeInteger)
  return String(Math.max(0, ...numbers) + 1)
}

function json(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}
