import { keysOf, type Rule } from './rule.ts'

/** What Hermes could do to itself, and to the rules that it is under. */
export const hermes: Rule = (call) => {
  const given = call.args.map(({ text }) => text)
  const isHermes =
    call.name === 'hermes' || given.some((arg) => /(?:^|\/)hermes(?:\.m?js)?$|hermes_cli|gateway\.run/.test(arg))
  if (!isHermes) return []
  const words = given.join(' ')
  return keysOf({
    'change of the rules of consent':
      /\bconfig (?:set|unset|reset|edit)\b.*\b(?:approvals|command_allowlist|security)\b|\bconfig (?:reset|edit)\s*$/.test(
        words,
      ) || given.includes('--yolo'),
    'start gateway in the background': /\bgateway run\b/.test(words) && call.background,
    'stop of the hermes gateway': /\bgateway (?:stop|restart|uninstall)\b|^uninstall\b/.test(words),
  })
}
