import assert from 'node:assert/strict'
import { mkdir, mkdtemp, realpath, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import type { RunOptions, Terminal } from './terminal.ts'

/** Opens a terminal that starts in `cwd`. */
export type OpenTerminal = (cwd: string) => Promise<Terminal>

/** What every backend must do. */
export function terminalContract(name: string, open: OpenTerminal): void {
  async function inTerminal(fn: (terminal: Terminal, dir: string) => Promise<void>): Promise<void> {
    const dir = await realpath(await mkdtemp(join(tmpdir(), 'terminal-test-')))
    try {
      await using terminal = await open(dir)
      await fn(terminal, dir)
    } finally {
      await rm(dir, { recursive: true, force: true })
    }
  }

  test(`${name} runs a command and gives its output and exit code`, () =>
    inTerminal(async (terminal) => {
      const result = await terminal.run('echo out; echo err >&2; exit 3', options())
      assert.deepEqual(result, { output: 'out\nerr\n', exitCode: 3, omittedChars: 0, timedOut: false })
    }))

  test(`${name} keeps standard output and error in the order they were written`, () =>
    inTerminal(async (terminal) => {
      const { output } = await terminal.run('for i in 1 2 3; do echo o$i; echo e$i >&2; done', options())
      assert.equal(output, 'o1\ne1\no2\ne2\no3\ne3\n')
    }))

  test(`${name} keeps the directory and exported variables from command to command`, () =>
    inTerminal(async (terminal, dir) => {
      await terminal.run(
        `mkdir -p "sub dir/目录" && cd "sub dir/目录"; export A="it's \\"\\$x\\" 数据" B=$'two\\nlines\\t'`,
        options(),
      )
      assert.equal(terminal.cwd, join(dir, 'sub dir/目录'))
      const { output } = await terminal.run('pwd; printf "%s|%s" "$A" "$B"', options())
      assert.equal(output, `${dir}/sub dir/目录\nit's "$x" 数据|two\nlines\t`)
      await terminal.run('unset A; cd ..', options())
      assert.equal((await terminal.run('echo "${A-unset} $(basename "$PWD")"', options())).output, 'unset sub dir\n')
    }))

  test(`${name} keeps what a command changed before exit, a failure or its own trap`, () =>
    inTerminal(async (terminal, dir) => {
      await terminal.run('mkdir a b c; cd a; export A=1; exit 7', options())
      await terminal.run('set -e; cd ../b; export B=2; false; echo never', options())
      const { output } = await terminal.run("trap 'echo bye' EXIT; cd ../c; export C=3", options())
      assert.equal(output, 'bye\n')
      assert.equal((await terminal.run('echo $A $B $C', options())).output, '1 2 3\n')
      assert.equal(terminal.cwd, join(dir, 'c'))
    }))

  test(`${name} uses a working directory for its one command alone`, () =>
    inTerminal(async (terminal, dir) => {
      await mkdir(join(dir, 'elsewhere'))
      const there = await terminal.run('pwd; cd /; export KEPT=1', options({ workdir: 'elsewhere' }))
      assert.equal(there.output, `${join(dir, 'elsewhere')}\n`)
      assert.equal(terminal.cwd, dir)
      assert.equal((await terminal.run('pwd; echo $KEPT', options())).output, `${dir}\n1\n`)
    }))

  test(`${name} refuses a working directory that does not exist`, () =>
    inTerminal(async (terminal) => {
      await assert.rejects(terminal.run('pwd', options({ workdir: 'nowhere' })), { code: 'no-such-directory' })
    }))

  test(`${name} goes on in the nearest folder when its own is gone, and says so`, () =>
    inTerminal(async (terminal, dir) => {
      await terminal.run('mkdir -p deep/er && cd deep/er', options())
      await rm(join(dir, 'deep'), { recursive: true })
      const { output } = await terminal.run('pwd', options())
      assert.equal(output, `[${dir}/deep/er is gone; running in ${dir}]\n${dir}\n`)
    }))

  test(`${name} reports a syntax error as the shell does, and goes on`, () =>
    inTerminal(async (terminal) => {
      const broken = await terminal.run('if true; then echo "unclosed', options())
      assert.notEqual(broken.exitCode, 0)
      assert.match(broken.output, /syntax error|unexpected|[Uu]nterminated/)
      assert.equal((await terminal.run('echo fine', options())).output, 'fine\n')
    }))

  test(`${name} ends a command at its time limit and keeps what it said`, () =>
    inTerminal(async (terminal, dir) => {
      const result = await terminal.run('mkdir x; cd x; echo begun; sleep 60', options({ timeoutMs: 3_000 }))
      assert.deepEqual(result, { output: 'begun\n', exitCode: 124, omittedChars: 0, timedOut: true })
      assert.ok(terminal.cwd.startsWith(dir))
      assert.equal((await terminal.run('echo next', options())).output, 'next\n')
    }))

  test(`${name} kills the command and its children when the signal aborts`, () =>
    inTerminal(async (terminal) => {
      const abort = new AbortController()
      let child = 0
      const running = terminal.run('sleep 610 & echo $!; wait', {
        ...options({ signal: abort.signal }),
        onOutput(text) {
          child = Number(text)
          abort.abort()
        },
      })
      const begun = performance.now()
      await assert.rejects(running, { name: 'AbortError' })
      assert.ok(performance.now() - begun < 20_000)
      await processEnd(child)
    }))

  test(`${name} kills those who ignore TERM too, and does not wait for them`, () =>
    inTerminal(async (terminal) => {
      const abort = new AbortController()
      let child = 0
      const stubborn = `bash -c 'trap "" TERM; echo $$; while :; do sleep 0.05; done' & wait`
      const running = terminal.run(stubborn, {
        ...options({ signal: abort.signal }),
        onOutput(text) {
          child = Number(text)
          abort.abort(new Error('stop'))
        },
      })
      const begun = performance.now()
      await assert.rejects(running, { message: 'stop' })
      assert.ok(performance.now() - begun < 20_000)
      await processEnd(child)
    }))

  test(`${name} runs nothing when the signal has aborted already`, () =>
    inTerminal(async (terminal, dir) => {
      const aborted = terminal.run('touch ran', options({ signal: AbortSignal.abort(new Error('no')) }))
      await assert.rejects(aborted, { message: 'no' })
      await assert.rejects(stat(join(dir, 'ran')), { code: 'ENOENT' })
    }))

  test(`${name} does not wait for what a command leaves in the background`, () =>
    inTerminal(async (terminal) => {
      const begun = performance.now()
      const { output } = await terminal.run('sleep 62 & echo started', options())
      assert.equal(output, 'started\n')
      assert.ok(performance.now() - begun < 20_000)
      assert.equal((await terminal.run('(sleep 0.05; echo late) & echo now', options())).output.slice(0, 4), 'now\n')
      assert.equal((await terminal.run('echo own', options())).output, 'own\n')
    }))

  test(`${name} waits shortly for the filters of a command to finish`, () =>
    inTerminal(async (terminal) => {
      const { output } = await terminal.run('echo text > >(sleep 0.01; tr a-z A-Z)', options())
      assert.equal(output, 'TEXT\n')
    }))

  test(`${name} keeps head and tail of an output of 200 MB in little memory`, () =>
    inTerminal(async (terminal) => {
      const before = process.memoryUsage().rss
      let peak = before
      const result = await terminal.run('echo first; head -c 200000000 /dev/zero | tr "\\0" x; echo; echo last', {
        ...options({ maxOutputChars: 50_000 }),
        onOutput: () => (peak = Math.max(peak, process.memoryUsage.rss())),
      })
      assert.ok(result.output.startsWith('first\nxxx') && result.output.endsWith('xxx\nlast\n'))
      assert.ok(result.output.length < 50_200)
      assert.ok(result.omittedChars > 199_900_000)
      assert.ok(peak - before < 60_000_000, `memory grew by ${peak - before} bytes`)
    }))

  test(`${name} gives valid text whatever bytes a command writes`, () =>
    inTerminal(async (terminal) => {
      const { output } = await terminal.run(
        `head -c 100000 /dev/urandom; printf '\\xff\\xfe数据\\x00\\x1b[31m库\\x1b[0m'`,
        options(),
      )
      assert.ok(output.isWellFormed())
      // oxlint-disable-next-line no-control-regex
      assert.doesNotMatch(output, /[\x00-\x08\x0b-\x1f\x7f]/)
      assert.ok(output.endsWith('数据库'))
    }))

  test(`${name} gives commands an empty standard input unless there is one`, () =>
    inTerminal(async (terminal) => {
      assert.equal((await terminal.run('cat; cat /dev/stdin; echo end', options())).output, 'end\n')
      const { output } = await terminal.run(
        'read a; echo "<$a>"; cat; cat /dev/stdin',
        options({ stdin: 'one\ntwo\n' }),
      )
      assert.equal(output, '<one>\ntwo\none\ntwo\n')
    }))

  test(`${name} lets commands open /dev/stdout and /dev/stderr`, () =>
    inTerminal(async (terminal) => {
      const { output } = await terminal.run(
        'echo a > /dev/stderr; echo b | tee /dev/stdout; echo c > /dev/stdout',
        options(),
      )
      assert.equal(output.replaceAll('b\n', ''), 'a\nc\n')
    }))

  test(`${name} leaves the low file descriptors to the command`, () =>
    inTerminal(async (terminal) => {
      const { output } = await terminal.run('exec 3>three 9>nine; echo x >&3; cat three; cd /', options())
      assert.equal(output, 'x\n')
      assert.equal(terminal.cwd, '/')
    }))

  test(`${name} runs one command at a time, in the order they were asked for`, () =>
    inTerminal(async (terminal) => {
      const first = terminal.run('sleep 0.1; export N=1; echo first', options())
      const second = terminal.run('echo second $N', options())
      const abort = new AbortController()
      const third = terminal.run('echo third', options({ signal: abort.signal }))
      const fourth = terminal.run('echo fourth', options())
      abort.abort(new Error('changed my mind'))
      await assert.rejects(third, { message: 'changed my mind' })
      const outputs = (await Promise.all([first, second, fourth])).map((result) => result.output)
      assert.deepEqual(outputs, ['first\n', 'second 1\n', 'fourth\n'])
    }))

  test(`${name} runs a command of any length`, () =>
    inTerminal(async (terminal) => {
      const text = `it's ${'数据'.repeat(100_000)}`
      const { output } = await terminal.run(`cat <<'END' | wc -m | tr -d ' '\n${text}\nEND\nexport LONG=1`, options())
      assert.ok([`${text.length + 1}\n`, `${Buffer.byteLength(text) + 1}\n`].includes(output), output)
      assert.equal((await terminal.run('echo $LONG', options())).output, '1\n')
    }))

  test(`${name} survives a variable that is too long for any program`, () =>
    inTerminal(async (terminal) => {
      await terminal.run('export HUGE=$(head -c 300000 /dev/zero | tr "\\0" y) SMALL=1', options())
      assert.equal((await terminal.run('ls >/dev/null && echo $SMALL', options())).output, '1\n')
    }))

  test(`${name} runs a background command with input, output and end`, () =>
    inTerminal(async (terminal, dir) => {
      await terminal.run('mkdir here && cd here; export WHO=me', options())
      const output = Promise.withResolvers<void>()
      let seen = ''
      let exitCode: number | undefined
      const background = await terminal.spawn('echo "$WHO $PWD"; while read line; do echo "got $line"; done; exit 5', {
        pty: false,
        onOutput(text) {
          seen += text
          if (seen.includes('got two')) output.resolve()
        },
        onExit: (code) => (exitCode = code),
      })
      background.write('one\n')
      background.write('two\n')
      await output.promise
      assert.equal(exitCode, undefined)
      background.closeInput()
      assert.equal(await background.exited, 5)
      assert.equal(seen, `me ${dir}/here\ngot one\ngot two\n`)
      assert.equal(exitCode, 5)
    }))

  test(`${name} kills a background command with all its children`, () =>
    inTerminal(async (terminal) => {
      const child = Promise.withResolvers<number>()
      const background = await terminal.spawn('sleep 63 & echo $!; wait', {
        pty: false,
        onOutput: (text) => child.resolve(Number(text)),
        onExit: () => undefined,
      })
      const pid = await child.promise
      await background.kill()
      assert.equal(await background.exited, 143)
      await processEnd(pid)
    }))

  test(`${name} ends all that still runs when it is closed`, async () => {
    const pids: number[] = []
    await inTerminal(async (terminal) => {
      pids.push(Number((await terminal.run('sleep 64 & echo $!', options())).output))
      const begun = Promise.withResolvers<void>()
      const background = await terminal.spawn('sleep 65 & echo $!; wait', {
        pty: false,
        onOutput(text) {
          pids.push(Number(text))
          begun.resolve()
        },
        onExit: () => undefined,
      })
      pids.push(background.pid)
      await begun.promise
    })
    assert.equal(pids.length, 3)
    for (const pid of pids) await processEnd(pid)
  })

  test(`${name} refuses work once it is closed`, async () => {
    let closed: Terminal | undefined
    await inTerminal(async (terminal) => {
      closed = terminal
    })
    await assert.rejects(async () => closed?.run('echo', options()), { code: 'closed' })
  })
}

function options(changes: Partial<RunOptions> = {}): RunOptions {
  return { timeoutMs: 60_000, maxOutputChars: 2_000_000, signal: new AbortController().signal, ...changes }
}

/** Waits until a process is gone; fails when it stays. */
async function processEnd(pid: number): Promise<void> {
  assert.ok(pid > 1)
  const deadline = performance.now() + 20_000
  while (await isAlive(pid)) {
    assert.ok(performance.now() < deadline, `process ${pid} is still there`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

/** A zombie that nobody has waited for counts as gone. */
async function isAlive(pid: number): Promise<boolean> {
  try {
    process.kill(pid, 0)
  } catch {
    return false
  }
  const { readFile } = await import('node:fs/promises')
  const status = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  return !/\) Z /.test(status)
}
