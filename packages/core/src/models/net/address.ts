import { isIP } from 'node:net'

/** Whether a URL's host name means this machine. */
export function isLoopback(hostname: string): boolean {
  const name = bare(hostname)
  return (
    name === 'localhost' || name.endsWith('.localhost') || name === '::1' || name === '0.0.0.0' || isIn(name, [127])
  )
}

/** Whether it means this machine or one on the same network: a model there may think for minutes. */
export function isLocal(hostname: string): boolean {
  const name = bare(hostname)
  if (isLoopback(name) || /\.(local|lan|internal|home\.arpa)$/.test(name)) return true
  if (isIP(name) === 6) return /^f[cd]|^fe[89ab]/.test(name)
  return isIn(name, [10]) || isIn(name, [192, 168]) || isIn(name, [169, 254]) || isShared(name)
}

function bare(hostname: string): string {
  return hostname.toLowerCase().replace(/^\[|\]$/g, '')
}

function isIn(name: string, prefix: readonly number[]): boolean {
  return isIP(name) === 4 && name.startsWith(`${prefix.join('.')}.`)
}

/** 172.16/12 and 100.64/10. */
function isShared(name: string): boolean {
  if (isIP(name) !== 4) return false
  const [first, second = 0] = name.split('.').map(Number)
  return (first === 172 && second >= 16 && second < 32) || (first === 100 && second >= 64 && second < 128)
}
