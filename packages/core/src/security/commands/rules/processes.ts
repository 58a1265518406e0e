import { processIds } from '../fields.ts'
import { type Invocation, readOptions } from '../invocation.ts'
import { keysOf, type Rule } from './rule.ts'

const killSignal = /^(?:9|(?:SIG)?KILL)$/i
const ownNames = /hermes|gateway|cli\.py|^(?:node|nodejs|MainThread)$/i

export const processes: Rule = (call) => {
  if (call.name === 'kill') return kills(call)
  if (call.name !== 'pkill' && call.name !== 'killall' && call.name !== 'skill') return []
  const options = readOptions(call.args, ['u', 'U', 'g', 'G', 'P', 't', 's', 'signal', 'user', 'y', 'o'])
  const signal = options.values.get('signal')?.text ?? options.values.get('s')?.text ?? ''
  const isForced =
    killSignal.test(signal) ||
    call.args.some(({ text }) => killSignal.test(text.replace(/^-/, '')) && text.startsWith('-'))
  return keysOf({
    'force kill processes': isForced,
    'kill hermes/gateway process': options.operands.some(({ text }) => ownNames.test(text)),
    'kill all processes': options.operands.some(({ text }) => /^[.^*]*\$?$/.test(text)),
  })
}

function kills(call: Invocation): string[] {
  const given = call.args.map(({ text }) => text)
  if (given.some((arg) => /^-[lL]$/.test(arg))) return []
  const byName = call.input.pipe.some(({ name }) => name === 'pgrep' || name === 'pidof')
  return keysOf({
    'kill all processes': targets(given).includes('-1'),
    'kill of the first process': targets(given).includes('1'),
    'kill process via pgrep expansion': byName || given.some((arg) => arg.includes(processIds)),
  })
}

/** The arguments that name processes; `-1` alone is a signal. */
function targets(given: readonly string[]): readonly string[] {
  const [first = '', ...rest] = given
  if (first === '-s' || first === '-n' || first === '--signal') return rest.slice(1)
  return first.startsWith('-') ? rest : given
}
