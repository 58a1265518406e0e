import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { runInGroup } from '../../terminals/run-in-group.ts'
import type { AuditFinding, AuditSubject } from './finding.ts'

const timeoutMs = 10_000

/** Files with credentials, of a home or of the project around. */
const secretFiles = ['.env', '.env.local', '.env.production', 'auth.json', '.netrc'] as const

/** Whether secrets of the home, or of the project in the working folder, are or may come into a Git repository. */
export async function checkRepositories({ home, cwd, signal }: AuditSubject): Promise<readonly AuditFinding[]> {
  const findings: AuditFinding[] = []
  for (const folder of new Set([home.dir, cwd])) {
    for (const name of secretFiles) {
      if (!existsSync(join(folder, name))) continue
      const state = await stateInGit(folder, name, signal)
      if (state === 'tracked') findings.push(tracked(folder, name))
      if (state === 'not-ignored') findings.push(notIgnored(folder, name))
    }
  }
  return findings
}

function tracked(folder: string, name: string): AuditFinding {
  return {
    id: 'secret-in-git',
    severity: 'high',
    where: join(folder, name),
    problem: 'It is in a Git repository: everybody who gets a copy has its secrets, of all times.',
    remedy: `git rm --cached ${name}; put it into .gitignore; then replace the keys in it, since the history keeps them.`,
  }
}

function notIgnored(folder: string, name: string): AuditFinding {
  return {
    id: 'secret-not-ignored',
    severity: 'medium',
    where: join(folder, name),
    problem: 'It lies in a Git repository that does not ignore it: the next "git add ." takes it along.',
    remedy: `Put ${name} into .gitignore.`,
  }
}

async function stateInGit(folder: string, name: string, signal: AbortSignal) {
  if ((await git(['rev-parse', '--is-inside-work-tree'], folder, signal)) !== 0) return 'outside'
  if ((await git(['ls-files', '--error-unmatch', '--', name], folder, signal)) === 0) return 'tracked'
  return (await git(['check-ignore', '-q', '--', name], folder, signal)) === 0 ? 'ignored' : 'not-ignored'
}

/** Git's exit code; not 0 where there is no git. A repository's own settings make it run nothing. */
async function git(args: readonly string[], cwd: string, signal: AbortSignal): Promise<number> {
  const all = ['-c', 'core.fsmonitor=false', ...args]
  const limits = { timeoutMs, maxChars: 1024 * 1024 }
  const { end, code } = await runInGroup({ program: 'git', args: all, cwd, ...limits }, signal)
  return end === 'exited' ? code : 128
}
