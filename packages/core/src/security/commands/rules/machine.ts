import { readOptions } from '../invocation.ts'
import { keysOf, type Rule } from './rule.ts'

const accountPrograms =
  /^(?:userdel|deluser|usermod|useradd|adduser|groupdel|delgroup|passwd|chpasswd|visudo|vipw|vigr|chsh|dscl)$/

/** Accounts, scheduled jobs and the firewall of the machine; shells for others. */
export const machine: Rule = (call) => {
  const given = call.args.map(({ text }) => text)
  const has = (...words: string[]) => given.some((arg) => words.includes(arg))
  const { name } = call
  if (accountPrograms.test(name)) return keysOf({ 'change of accounts': !has('-S', '--status', '--help', '-h') })
  if (name === 'crontab') return keysOf({ 'change of scheduled jobs': !has('-l') || has('-r') })
  if (name === 'at' || name === 'batch') return keysOf({ 'change of scheduled jobs': !has('-l', '-c', '-V') })
  if (name === 'nc' || name === 'ncat' || name === 'netcat') {
    return keysOf({ 'shell for the network': given.some((arg) => /^-\w*[ec]$|^--(?:exec|sh-exec|lua-exec)/.test(arg)) })
  }
  if (name === 'socat')
    return keysOf({ 'shell for the network': given.some((arg) => /^(?:exec|system|shell):/i.test(arg)) })
  return keysOf({
    'change of the firewall': changesFirewall(name, given, readOptions(call.args).operands[0]?.text ?? ''),
  })
}

function changesFirewall(name: string, given: readonly string[], first: string): boolean {
  if (/^ip6?tables$/.test(name)) return given.some((arg) => /^-[FXPZ]$|^--(?:flush|policy|delete-chain)$/.test(arg))
  if (name === 'nft') return first === 'flush' || first === 'delete'
  if (name === 'ufw') return /^(?:disable|reset)$/.test(first)
  return name === 'setenforce' && first !== '1'
}
