import { isKnown, unknown } from './fields.ts'

/** What `${name<operator><argument>}` makes of a value. */
export function changedValue(value: string, operator: string, argument: string): string {
  if (!isKnown(value) || !isKnown(argument)) return unknown
  switch (operator) {
    case ':':
      return slice(value, argument)
    case '^^':
      return value.toUpperCase()
    case ',,':
      return value.toLowerCase()
    case '^':
      return value.charAt(0).toUpperCase() + value.slice(1)
    case ',':
      return value.charAt(0).toLowerCase() + value.slice(1)
    case '/':
    case '//':
      return replaced(value, argument, operator === '//')
    case '#':
    case '##':
      if (isPattern(argument)) return unknown
      return value.startsWith(argument) ? value.slice(argument.length) : value
    case '%':
    case '%%':
      if (isPattern(argument)) return unknown
      return value.endsWith(argument) ? value.slice(0, value.length - argument.length) : value
    default:
      return unknown
  }
}

function slice(value: string, range: string): string {
  const numbers = /^\s*(-?\d+)\s*(?::\s*(-?\d+)\s*)?$/.exec(range)
  if (!numbers) return unknown
  const start = Number(numbers[1])
  const rest = value.slice(start)
  if (numbers[2] === undefined) return rest
  const length = Number(numbers[2])
  return length < 0 ? rest.slice(0, length) : rest.slice(0, length)
}

function replaced(value: string, argument: string, all: boolean): string {
  const [from = '', ...to] = argument.split('/')
  if (isPattern(from) || from === '' || /^[#%]/.test(from)) return unknown
  return all ? value.replaceAll(from, () => to.join('/')) : value.replace(from, () => to.join('/'))
}

function isPattern(text: string): boolean {
  return /[*?[\\]/.test(text)
}
