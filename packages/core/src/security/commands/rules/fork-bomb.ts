import { bodiesOf } from '../nested-scripts.ts'
import type { Command, Script } from '../syntax.ts'

/** Whether a function starts itself more than once, or in the background: each run makes more runs. */
export function isForkBomb(command: Extract<Command, { type: 'function' }>): boolean {
  return bodiesOf(command).some((script) => multiplies(script, command.name))
}

function multiplies(script: Script, name: string): boolean {
  return script.pipelines.some(({ commands, background }) => {
    const calls = commands.filter((command) => callsItself(command, name)).length
    if (calls > 1 || (calls > 0 && background)) return true
    return commands.some((command) => bodiesOf(command).some((body) => multiplies(body, name)))
  })
}

function callsItself(command: Command, name: string): boolean {
  if (command.type !== 'simple') return false
  const [part, ...others] = command.words[0]?.parts ?? []
  return part?.type === 'text' && part.text === name && others.length === 0
}
