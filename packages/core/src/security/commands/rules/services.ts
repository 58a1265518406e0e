import { readOptions } from '../invocation.ts'
import { keysOf, type Rule } from './rule.ts'

export const services: Rule = (call) => {
  const { operands, flags } = readOptions(call.args, [
    'H',
    'M',
    't',
    'p',
    'n',
    'o',
    's',
    'signal',
    'host',
    'machine',
    'type',
    'property',
  ])
  const words = operands.map(({ text }) => text)
  switch (call.name) {
    case 'systemctl':
      return keysOf({
        'stop/disable system service': /^(?:stop|disable|mask|kill|isolate|set-default|revert)$/.test(words[0] ?? ''),
        'system shutdown': /^(?:poweroff|reboot|halt|kexec|emergency|rescue|suspend|hibernate|soft-reboot)$/.test(
          words[0] ?? '',
        ),
      })
    case 'service':
    case 'rc-service':
      return keysOf({ 'stop/disable system service': words.includes('stop') })
    case 'launchctl':
      return keysOf({
        'stop/disable system service': /^(?:unload|bootout|remove|disable|stop|kill)$/.test(words[0] ?? ''),
      })
    case 'shutdown':
      return keysOf({ 'system shutdown': !flags.has('c') })
    case 'reboot':
    case 'halt':
    case 'poweroff':
      return keysOf({ 'system shutdown': !flags.has('help') })
    case 'init':
    case 'telinit':
      return keysOf({ 'system shutdown': /^[0156sS]$/.test(words[0] ?? '') })
    default:
      return []
  }
}
