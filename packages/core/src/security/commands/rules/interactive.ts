import { readOptions } from '../invocation.ts'
import { keysOf, type Rule } from './rule.ts'

/** The key of programs that run what they read, where the agent can write to them without being asked again. */
export const laterInput = 'program that is given commands later'

/** Programs that take commands from whoever types, or let them out to a shell. */
const programs =
  /^(?:vi|vim|nvim|view|ex|ed|emacs|nano|pico|less|more|most|man|gdb|lldb|irb|pry|ipython\d*|mysql|mariadb|psql|sqlite3?|mongo|mongosh|ftp|sftp|lftp|telnet|tmux|screen|su|login|newgrp|at|batch|bc|dc)$/
/** What such programs are given when they are not to ask. */
const unattended = /^(?:-[A-Za-z]*[cefx]|--(?:command|execute|eval|file|batch)(?:=.*)?|-batch|-d|-dm)$/

/** Options of ssh that take a value. */
const sshValued = Array.from('bcDEeFIiJLlmOopQRSWwB')

/** Background processes that the agent could tell later what to do. Shells and interpreters are known elsewhere. */
export const interactive: Rule = (call) => {
  if (call.input.from !== 'agent') return []
  const given = call.args.map(({ text }) => text)
  const becomesShell =
    /^(?:sudo|doas)$/.test(call.name) && given.some((arg) => /^-[A-Za-z]*[is]$|^--(?:login|shell)$/.test(arg))
  const isRemote = call.name === 'ssh' && readOptions(call.args, sshValued).operands.length <= 1
  const asks = programs.test(call.name) && !given.some((arg) => unattended.test(arg))
  return keysOf({ [laterInput]: becomesShell || isRemote || asks })
}
