import { execFile } from 'node:child_process'
import { closeSync, constants, openSync, rmSync } from 'node:fs'
import { Socket } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { makeOwnFolder } from './own-folder.ts'

/**
 * Real pipes for commands. What Node calls a pipe is a socket, and on Linux a socket cannot be opened again through
 * `/dev/stdout`, `/dev/stderr` or `/dev/stdin`, which scripts do. Named pipes can; they are made a few at a time and
 * used again, so that a command costs no extra process.
 */
export class FifoPool {
  readonly #dir: string
  readonly #free: string[] = []
  #made = 0

  private constructor(dir: string) {
    this.#dir = dir
  }

  /** A pool in a folder of its own, which only this user can enter. */
  static async open(): Promise<FifoPool> {
    const pool = new FifoPool(await makeOwnFolder('terminal'))
    await pool.#make()
    return pool
  }

  /** The pool's private folder. */
  get dir(): string {
    return this.#dir
  }

  /** A pipe that a command writes to and we read. */
  async output(): Promise<OutputPipe> {
    const path = await this.#take()
    const readFd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
    const writeFd = openSync(path, constants.O_WRONLY)
    return { commandFd: writeFd, socket: new Socket({ fd: readFd, readable: true, writable: false }), path }
  }

  /** A pipe that we write to and a command reads. */
  async input(): Promise<InputPipe> {
    const path = await this.#take()
    // Both ends first: opening one end alone would wait for the other.
    const bothFd = openSync(path, constants.O_RDWR | constants.O_NONBLOCK)
    const readFd = openSync(path, constants.O_RDONLY)
    const writeFd = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK)
    closeSync(bothFd)
    rmSync(path, { force: true })
    return { commandFd: readFd, socket: new Socket({ fd: writeFd, readable: false, writable: true }) }
  }

  /** Gives back an output pipe. One that somebody may still write to is not used again. */
  giveBack(pipe: OutputPipe, { ended }: { readonly ended: boolean }): void {
    if (ended) this.#free.push(pipe.path)
    else rmSync(pipe.path, { force: true })
  }

  /** Removes its folder, at once, so that it can be called when the process ends. Pipes that are open go on. */
  dispose(): void {
    rmSync(this.#dir, { recursive: true, force: true })
  }

  async #take(): Promise<string> {
    if (this.#free.length === 0) await this.#make()
    // #make has just put some there.
    return this.#free.pop() as string
  }

  async #make(): Promise<void> {
    const paths = Array.from({ length: 4 }, () => join(this.#dir, `pipe-${this.#made++}`))
    await promisify(execFile)('mkfifo', ['-m', '600', ...paths])
    this.#free.push(...paths)
  }
}

export interface OutputPipe {
  /** The command's end; close it once the command has it. */
  readonly commandFd: number
  readonly socket: Socket
  readonly path: string
}

export interface InputPipe {
  /** The command's end; close it once the command has it. */
  readonly commandFd: number
  readonly socket: Socket
}
