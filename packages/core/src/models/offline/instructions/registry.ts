import type { Instruction } from '../instruction.ts'
import { everyDay, run, time } from './commands.ts'
import { create, findFiles, list, read, replace, search, write, writeBlock } from './files.ts'
import { forget, recall, remember } from './memory.ts'
import { findSessions, recentSessions } from './sessions.ts'
import { addTodo, finishTodo, showTodos } from './todo.ts'

/** Every instruction, the more special ones before those that would also match. */
export const instructions: readonly Instruction[] = [
  everyDay,
  run,
  time,
  addTodo,
  showTodos,
  finishTodo,
  recall,
  remember,
  forget,
  findSessions,
  recentSessions,
  findFiles,
  search,
  list,
  writeBlock,
  write,
  create,
  replace,
  read,
]
