import { z } from 'zod'
import { defineTool, jsonResult } from '../tool.ts'
import type { ToolContext } from '../tool.ts'
import { runChild } from './run-child.ts'
import type { ChildResult, ChildTask } from './run-child.ts'
import { childTools } from './child-tools.ts'
import { inTurn } from './in-turn.ts'

/** A person's session delegates; what it delegates to does the work itself. */
const maxDepth = 1

const task = z.object({
  goal: z.string().trim().min(1),
  context: z.string().optional(),
  toolsets: z.array(z.string()).optional(),
})

const input = z.object({
  goal: z.string().trim().min(1).optional().describe('What one sub-agent shall do'),
  context: z.string().optional().describe('All that it must know: it sees nothing of this conversation'),
  toolsets: z.array(z.string()).optional().describe('Default: those of this session'),
  tasks: z.array(task).optional().describe('Several at once, in place of goal'),
  max_iterations: z.int().min(1).optional(),
})

export const delegateTask = defineTool({
  name: 'delegate_task',
  toolset: 'delegation',
  description:
    'Have sub-agents do work by themselves and get their reports: for long research or independent parts at once, whose details need not be seen here. Each starts afresh with a terminal of its own, cannot ask the user, and cannot delegate. Not for one or two tool calls.',
  input,
  concurrency: 'exclusive',
  preview: ({ goal, tasks }) => goal ?? `${tasks?.length ?? 0} tasks: ${tasks?.[0]?.goal ?? ''}`,
  async run(args, context) {
    const problem = problemOf(args, context)
    if (problem !== undefined) return jsonResult({ error: problem }, 'error')
    const tasks = tasksOf(args, context)
    const startedAt = performance.now()
    const results = await runAll(tasks, context)
    const seconds = (performance.now() - startedAt) / 1000
    const failed = results.every(({ status }) => status === 'error' || status === 'failed')
    return jsonResult({ results, total_duration_seconds: round(seconds) }, failed ? 'error' : 'ok')
  },
})

type Args = z.infer<typeof input>

function problemOf({ goal, tasks, toolsets: usual }: Args, { agent, session, tools }: ToolContext): string | undefined {
  const most = agent.config.delegation.max_concurrent_children
  const count = tasks?.length ?? 0
  if (session.depth >= maxDepth) return 'A sub-agent cannot delegate. Do the task here.'
  if (goal === undefined && count === 0) return 'Give goal, or tasks with at least one goal.'
  if (count > most)
    return `At most ${most} tasks at once; nothing was begun. Call again with fewer, then with the rest.`
  const asked = count > 0 ? (tasks ?? []).map((one) => one.toolsets ?? usual) : [usual]
  const known = new Set([...tools.values()].map(({ toolset }) => toolset))
  const none = asked.find((toolsets) => toolsets && childTools(tools, toolsets).length === 0)
  return none ? `None of the toolsets ${none.join(', ')} can be given. There are: ${[...known].join(', ')}.` : undefined
}

function tasksOf(args: Args, { agent, tools, turn }: ToolContext): readonly ChildTask[] {
  const { tasks = [], goal, context, toolsets, max_iterations: asked } = args
  const { max_iterations: most } = agent.config.delegation
  const own = turn.request.maxIterations ?? agent.config.agent.max_turns
  const list = tasks.length > 0 ? tasks : goal === undefined ? [] : [{ goal, context, toolsets }]
  return list.map((one, index) => ({
    index,
    goal: one.goal,
    context: one.context ?? (tasks.length > 0 ? context : undefined),
    onlyTools: childTools(tools, one.toolsets ?? toolsets),
    maxIterations: Math.min(asked ?? most, most, own),
  }))
}

/** Side by side; what they ask their person comes one question after the other. */
async function runAll(tasks: readonly ChildTask[], context: ToolContext): Promise<readonly ChildResult[]> {
  const decide = inTurn(context.decide)
  return Promise.all(
    tasks.map(async (one) => {
      const label = tasks.length > 1 ? `[${one.index + 1}] ` : ''
      const result = await runChild(one, {
        ...context,
        decide,
        progress: (text) => context.progress(`${label}${text}`),
      })
      await remember(one, result, context)
      return result
    }),
  )
}

/** The long-term memory, where there is one, hears what came of it. */
async function remember({ goal }: ChildTask, { status, summary, session_id: id }: ChildResult, context: ToolContext) {
  if (status !== 'completed') return
  const memory = await context.agent.longTermMemory?.session(context.session)
  memory?.keepDelegation({ task: goal, result: summary, childSessionId: id })
}

function round(seconds: number): number {
  return Math.round(seconds * 100) / 100
}
