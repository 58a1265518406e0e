import { execFile } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { compileCache } from '@hermes/testing/compile-cache.ts'

/** What of a test's home is needed. */
interface TestHome {
  path(...parts: string[]): string
  readonly environment: Readonly<Record<string, string>>
}

export interface ProgramOutcome {
  readonly code: unknown
  readonly stdout: string
  readonly stderr: string
}

/** `hermes gateway` from its source as a program of its own, for tests: `program` is what was started. */
export async function gatewayProgram(home: TestHome, more: Readonly<Record<string, string>> = {}) {
  const program = home.path('hermes.mjs')
  const main = JSON.stringify(import.meta.resolve('../../main.ts'))
  await writeFile(program, `import { main } from ${main}\nawait main(process.argv.slice(2))\n`)
  // The bundled skills are brought into each new home: forty files written, which only their own test is about.
  const noSkills = home.path('no-skills')
  await mkdir(noSkills, { recursive: true })
  const env = { ...home.environment, ...compileCache(), HERMES_BUNDLED_SKILLS: noSkills, ...more }
  const argv = (words: readonly string[]) => ['--conditions=development', program, 'gateway', ...words]
  return {
    program,
    env,
    argv,
    run: (...words: readonly string[]) =>
      new Promise<ProgramOutcome>((resolve) => {
        execFile(process.execPath, argv(words), { env }, (error, stdout, stderr) =>
          resolve({ code: error?.code ?? 0, stdout, stderr }),
        )
      }),
  }
}

/** The id that a command has told. */
export function pidIn({ stdout }: ProgramOutcome): number {
  return Number(/\(pid (\d+)\)/.exec(stdout)?.[1])
}
