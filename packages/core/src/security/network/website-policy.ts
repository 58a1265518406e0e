import { readFile } from 'node:fs/promises'
import { isAbsolute, join } from 'node:path'
import type { Home } from '../../config/home.ts'

/** `security.website_blocklist`. */
export interface WebsiteBlocklist {
  readonly enabled: boolean
  /** `example.com` with its subdomains; `*.example.com` only these; a `*` elsewhere stands for any letters. */
  readonly domains: readonly string[]
  /** Files with one rule a line, `#` before comments; relative to the home. */
  readonly shared_files: readonly string[]
}

/** A rule that refuses a website. */
export interface PolicyRule {
  /** As it was written. */
  readonly rule: string
  /** Where it stands: `config.yaml`, or the file. */
  readonly source: string
  /** The rule cannot be read, so that nobody can tell what it does not refuse. */
  readonly problem?: string
}

export interface WebsitePolicy {
  /** The rule that refuses a host name. Files that changed are read again after half a minute at most. */
  refusedBy(hostname: string): Promise<PolicyRule | undefined>
}

const refreshMs = 30_000
const maxFileBytes = 4 * 1024 * 1024
const configName = 'config.yaml (security.website_blocklist.domains)'

interface CompiledRule extends PolicyRule {
  readonly matches: (hostname: string) => boolean
}

/** Nothing that cannot be read lets a website through: such a rule or file refuses all of them until it is repaired. */
export function createWebsitePolicy(
  { enabled, domains, shared_files: files }: WebsiteBlocklist,
  { home, now }: { readonly home: Home; readonly now: () => number },
): WebsitePolicy {
  const own = domains.flatMap((rule) => compile(rule, configName) ?? [])
  let shared: Promise<readonly CompiledRule[]> | undefined
  let readAt = 0
  const sharedRules = () => {
    if (!shared || now() - readAt >= refreshMs) {
      readAt = now()
      shared = Promise.all(files.map((file) => readShared(file, home))).then((lists) => lists.flat())
    }
    return shared
  }
  return {
    async refusedBy(hostname) {
      if (!enabled) return undefined
      const host = hostname.toLowerCase().replace(/\.$/, '')
      const found = [...own, ...(await sharedRules())].filter((rule) => rule.matches(host))
      // What names the host says more than what could not be read.
      const hit = found.find(({ problem }) => problem === undefined) ?? found[0]
      return (
        hit && { rule: hit.rule, source: hit.source, ...(hit.problem === undefined ? {} : { problem: hit.problem }) }
      )
    },
  }
}

async function readShared(file: string, home: Home): Promise<readonly CompiledRule[]> {
  const path = isAbsolute(file) ? file : join(home.dir, file)
  try {
    const text = await readFile(path, 'utf8')
    if (text.length > maxFileBytes) return [unreadable(file, path, `it is larger than ${maxFileBytes} bytes`)]
    return text.split(/\r?\n/).flatMap((line) => compile(line.replace(/(?:^|\s)#.*$/, ''), path) ?? [])
  } catch (error) {
    const { code = 'unknown error' } = error instanceof Error ? (error as NodeJS.ErrnoException) : {}
    return [unreadable(file, path, `the file cannot be read (${code})`)]
  }
}

function unreadable(rule: string, source: string, problem: string): CompiledRule {
  return { rule, source, problem, matches: () => true }
}

/** Undefined for an empty line. */
function compile(written: string, source: string): CompiledRule | undefined {
  const rule = written.trim()
  if (rule === '') return undefined
  const name = hostOf(rule)
  if (name === undefined) return unreadable(rule, source, 'it is no domain')
  if (name.includes('*')) {
    const parts = name.split('*')
    return { rule, source, matches: (host) => matchesGlob(host, parts) }
  }
  return { rule, source, matches: (host) => host === name || host.endsWith(`.${name}`) }
}

/** `https://www.Example.com:443/path` → `example.com`; undefined for what names no host. */
function hostOf(rule: string): string | undefined {
  const bare = rule
    .toLowerCase()
    .replace(/^[a-z][a-z0-9+.-]*:\/\//, '')
    .replace(/[/?#].*$/, '')
    .replace(/^[^@]*@/, '')
    .replace(/:\d*$/, '')
    .replace(/^www\./, '')
    .replace(/^\.|\.$/g, '')
  if (bare === '' || bare.length > 253) return undefined
  // As a URL has it: other scripts in their ASCII form. `0` stands in for a star, which no host may have.
  const host = URL.parse(`http://${bare.replaceAll('*', 'star0star')}/`)?.hostname.replaceAll('star0star', '*')
  return host !== undefined && /[\p{L}\p{N}]/u.test(host) ? host : undefined
}

/** Whether a host has all parts of a rule in their order, with at least a letter for each star. */
function matchesGlob(host: string, parts: readonly string[]): boolean {
  const [first = '', ...rest] = parts
  const last = rest.pop() ?? ''
  if (!host.startsWith(first) || !host.endsWith(last)) return false
  let at = first.length
  for (const part of rest) {
    const found = host.indexOf(part, at + 1)
    if (found === -1) return false
    at = found + part.length
  }
  return at + 1 <= host.length - last.length
}
