// Host names as a parsed URL has them: lower case, IPv4 addresses in four numbers, IPv6 addresses in brackets.
// Without `isIP`, since importing `node:net` costs as much start-up as all of this package's network code.

/** Whether a URL's host name means this machine. */
export function isLoopback(hostname: string): boolean {
  const name = hostname.toLowerCase()
  if (name === 'localhost' || name.endsWith('.localhost') || name === '[::1]') return true
  const [first] = ipv4(name) ?? []
  return first === 127 || name === '0.0.0.0'
}

/** Whether it means this machine or one on the same network: a model there may think for minutes. */
export function isLocal(hostname: string): boolean {
  const name = hostname.toLowerCase()
  if (isLoopback(name) || /\.(local|lan|internal|home\.arpa)$/.test(name)) return true
  // Unique local and link-local addresses.
  if (name.startsWith('[')) return /^\[(f[cd]|fe[89ab])/.test(name)
  const [first = 0, second = 0] = ipv4(name) ?? []
  if (first === 10 || (first === 192 && second === 168) || (first === 169 && second === 254)) return true
  return (first === 172 && second >= 16 && second < 32) || (first === 100 && second >= 64 && second < 128)
}

function ipv4(name: string): readonly number[] | undefined {
  return /^\d{1,3}(\.\d{1,3}){3}$/.test(name) ? name.split('.').map(Number) : undefined
}
