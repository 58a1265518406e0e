import { wallTime } from '@hermes/core/agent/clock.ts'
import type { ChatCommand } from './command.ts'
import { runSkill } from './other-commands.ts'

export const plan: ChatCommand = {
  name: 'plan',
  args: '<task>',
  summary: 'Make a plan for a task and write it down, without doing it',
  async run(call) {
    if (call.args === '') return 'Say what is to be planned: /plan TASK'
    const { year, month, day, hour, minute } = wallTime(call.agent.clock)
    const two = (number: number) => String(number).padStart(2, '0')
    const words = call.args.toLowerCase().replaceAll(/[^\p{L}\d]+/gu, '-')
    const slug = words.slice(0, 40).replaceAll(/^-|-$/g, '') || 'plan'
    const path = `.hermes/plans/${year}-${two(month)}-${two(day)}_${two(hour)}${two(minute)}-${slug}.md`
    const task = `${call.args}\n\nWrite the plan to ${path}; do nothing of it yet.`
    const bySkill = await runSkill('plan', { ...call, args: task })
    return bySkill ?? { ask: { text: `Make a plan for this task, step by step: ${task}`, isTyped: false } }
  },
}
