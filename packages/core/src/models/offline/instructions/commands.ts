import { call, say } from '../instruction.ts'
import type { Instruction } from '../instruction.ts'
import { pattern } from '../pattern.ts'

export const run: Instruction = {
  example: 'run: ls -la',
  does: 'runs a command in the terminal and shows what it prints',
  takesLongText: true,
  patterns: [pattern`(?:run|execute)\s*[:：]\s*{rest}`, pattern`(?:run|execute) {rest}`, pattern`\$ {rest}`],
  step: ([text = '']) => call('terminal', { command: unquoted(text) }),
}

/** A command as people quote it. */
function unquoted(text: string): string {
  return /^`+([^`]+)`+$/u.exec(text.trim())?.[1]?.trim() ?? text.trim()
}

export const time: Instruction = {
  example: 'what time is it?',
  does: 'asks this machine for its date and time',
  patterns: [
    pattern`what(?:'s|’s| is)?(?: the)? (?:time|date|day)(?: is it)?(?: today| now)?\s*\??`,
    pattern`(?:date|time)\s*\??`,
  ],
  step: () => call('terminal', { command: 'date' }),
}

export const everyDay: Instruction = {
  example: 'every day at 9: run: df -h',
  does: 'does something at set times',
  patterns: [
    pattern`((?:every|each) (?:day|morning|evening|night|weekday|hour|(?:mon|tues|wednes|thurs|fri|satur|sun)day)(?: at \d{1,2}(?:[:.]\d{2})?\s*(?:am|pm)?)?)[\s,:]+{rest}`,
    pattern`((?:every|each) \d{1,6}\s*(?:min(?:ute)?s?|hours?|days?|[mhd]))[\s,:]+{rest}`,
    pattern`((?:daily|hourly|nightly)(?: at \d{1,2}(?:[:.]\d{2})?\s*(?:am|pm)?)?)[\s,:]+{rest}`,
  ],
  step: ([when = '', what = ''], { tools }) => {
    const job = { action: 'create', schedule: cronSchedule(when), prompt: what.trim() }
    if (tools.has('cronjob')) return call('cronjob', job)
    if (tools.has('use_tool')) return call('use_tool', { name: 'cronjob', arguments: job })
    return say(
      `“${when}” needs the scheduler's tool, which this session does not have; "hermes cron create" makes jobs for the gateway to run. Until then, ask me each time: ${what.trim()}`,
    )
  },
}

const days = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday']

/** A schedule in the words of the cronjob tool: `0 9 * * *` or `every 30m`. */
function cronSchedule(when: string): string {
  const text = when.toLowerCase()
  const every = /(?:every|each)\s+(\d+)\s*([mhd])/u.exec(text)
  if (every) return `every ${every[1]}${every[2]}`
  if (text.includes('hour')) return '0 * * * *'
  const at = /at\s+(\d{1,2})(?:[:.](\d{2}))?\s*(am|pm)?/u.exec(text)
  const hour = at ? hourOf(Number(at[1]), at[3]) : /evening|night/u.test(text) ? 20 : 9
  const day = days.findIndex((name) => text.includes(name))
  const weekday = text.includes('weekday') ? '1-5' : day >= 0 ? String(day) : '*'
  return `${Number(at?.[2] ?? 0)} ${hour} * * ${weekday}`
}

function hourOf(hour: number, half: string | undefined): number {
  if (half === undefined) return Math.min(hour, 23)
  return (hour % 12) + (half === 'pm' ? 12 : 0)
}
