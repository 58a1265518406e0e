import type { Environment } from '../agent/context.ts'
import { ServiceError } from '../services/service-error.ts'
import { childEnvironment } from '../terminals/child-environment.ts'
import { runProgram } from './run-program.ts'

export interface PythonRun {
  readonly code: string
  /** Given to it as JSON on its input. */
  readonly input?: unknown
  readonly environment: Environment
  readonly timeoutMs: number
}

/** Runs a Python program that models of the hub may be loaded by. Throws `ServiceError`, or the signal's reason. */
export function runPython({ code, input, environment, timeoutMs }: PythonRun, signal: AbortSignal): Promise<string> {
  const env = { ...childEnvironment({ environment, passthrough: ['HF_TOKEN'] }), PYTHONIOENCODING: 'utf-8' }
  const text = input === undefined ? '' : JSON.stringify(input)
  return runProgram({ program: 'python3', args: ['-c', code], env, input: text, timeoutMs }, signal)
}

const lookMs = 15_000

/** Whether Python has all of these packages. None of them is loaded, which would take seconds. */
export async function hasPythonPackages(names: readonly string[], environment: Environment): Promise<boolean> {
  const code = `import importlib.util, json, sys\nsys.exit(0 if all(map(importlib.util.find_spec, json.load(sys.stdin))) else 3)`
  try {
    await runPython({ code, input: names, environment, timeoutMs: lookMs }, new AbortController().signal)
    return true
  } catch (error) {
    if (error instanceof ServiceError) return false
    throw error
  }
}
