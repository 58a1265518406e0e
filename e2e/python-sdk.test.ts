import assert from 'node:assert/strict'
import { execFile, execFileSync } from 'node:child_process'
import { dirname } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const root = dirname(dirname(fileURLToPath(import.meta.url)))

/** Python environments with the oldest and the latest `websockets` that the client promises to work with. */
const environments = {
  'websockets 12': 'HERMES_TEST_PYTHON_SDK_12',
  'the latest websockets': 'HERMES_TEST_PYTHON_SDK_LATEST',
}

for (const [name, variable] of Object.entries(environments)) {
  const python = process.env[variable]
  const options = { skip: python ? false : `${variable} names no Python environment`, timeout: 120_000 }

  test(`the Python client does what its reference says with ${name}`, options, async () => {
    const { stderr } = await runPython(python, ['-m', 'unittest', 'discover', '-s', 'sdk/python/tests', '-t', '.'])
    assert.match(stderr, /^OK$/m)
  })
}

const latest = process.env['HERMES_TEST_PYTHON_SDK_LATEST']

test('the types of the Python client are strict and right', { skip: withoutMypy(), timeout: 120_000 }, async () => {
  const flags = ['--strict', '--python-version', '3.10', '--explicit-package-bases', '--namespace-packages']
  const { stdout } = await runPython(latest, ['-m', 'mypy', ...flags, '--cache-dir', '/dev/null', 'sdk/python'])
  assert.match(stdout, /^Success/)
})

function withoutMypy(): string | false {
  if (!latest) return 'HERMES_TEST_PYTHON_SDK_LATEST names no Python environment'
  try {
    execFileSync(latest, ['-c', 'import mypy'], { stdio: 'ignore', timeout: 30_000 })
    return false
  } catch {
    return 'the Python package mypy is not installed'
  }
}

async function runPython(python: string | undefined, args: string[]): Promise<{ stdout: string; stderr: string }> {
  assert.ok(python)
  return await promisify(execFile)(python, args, {
    cwd: root,
    timeout: 110_000,
    env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1' },
  })
}
