import { scanText } from '../security/injection/scan.ts'
import { CronError } from './cron-error.ts'

/** Longest prompt of a job, characters. */
const maxPromptChars = 50_000

/** What no job is to be told, beside what steers an agent anywhere: nobody watches it. */
const orders: readonly (readonly [id: string, pattern: RegExp])[] = [
  ['invisible_unicode', /\u200B|\u200C|\u200D|\u2060|\uFEFF|[\u202A-\u202E]/u],
  ['exfil_curl', /\bcurl\b[^\n]{0,300}\$\{?\w{0,60}(?:KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL|API)/i],
  ['exfil_wget', /\bwget\b[^\n]{0,300}\$\{?\w{0,60}(?:KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL|API)/i],
  ['read_secrets', /\bcat\b[^\n]{0,200}(?:\.env\b|\bcredentials\b|\.netrc\b|\.pgpass\b)/i],
  ['ssh_backdoor', /\bauthorized_keys\b/i],
  ['sudoers_mod', /\/etc\/sudoers|\bvisudo\b/i],
  ['destructive_root_rm', /\brm\s{1,5}-(?:rf|fr|r\s{1,5}-f|f\s{1,5}-r)\w{0,5}\s{1,5}\/(?:\s|\*|$)/i],
]

/** A person may join letters of emoji and of some scripts by characters that nobody sees. */
const joined = /\p{Extended_Pictographic}\uFE0F?\u200D|[\u0600-\u0DFF]\u200C|[\u0900-\u0DFF]\u200D/gu

/**
 * Refuses a job's prompt that tries to take the agent over or to give secrets away. Throws `CronError` with code
 * `injection`, or `bad-job` where it is too long.
 */
export function checkPrompt(prompt: string): void {
  if (prompt.length > maxPromptChars) {
    throw new CronError('bad-job', `The prompt has ${prompt.length} characters; ${maxPromptChars} are the most.`)
  }
  const plain = prompt.replaceAll(joined, '')
  const found = new Set(scanText(prompt, 'context'))
  for (const [id, pattern] of orders) if (pattern.test(plain)) found.add(id)
  if (found.has('invisible_unicode') && !orders[0]![1].test(plain) && !scanText(plain, 'context').length) {
    found.delete('invisible_unicode')
  }
  if (found.size === 0) return
  const ids = [...found].join(', ')
  throw new CronError('injection', `The prompt holds what no job is given (${ids}); say plainly what is to be done.`)
}
