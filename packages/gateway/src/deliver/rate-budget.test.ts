import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ChatRef } from '../messages/outbound-message.ts'
import { createRateBudget } from './rate-budget.ts'

const chat = (chatId: string, chatType: ChatRef['chatType'] = 'dm'): ChatRef => ({ platform: 'test', chatId, chatType })
const never = new AbortController().signal

test('what can wait waits its turn, and what cannot is dropped', async () => {
  const budget = createRateBudget({ perSecond: 100, perChatSecond: 20 })
  const times: number[] = []
  for (let n = 0; n < 20; n++) {
    await budget.take(chat('a'), 'final', never)
    times.push(performance.now())
  }
  assert.equal(await budget.take(chat('a'), 'progress', never), false)
  await budget.take(chat('a'), 'final', never)
  times.push(performance.now())
  assert.ok((times[20] ?? 0) - (times[0] ?? 0) >= 990, 'the 21st call comes a second after the first')
  assert.equal(await budget.take(chat('b'), 'progress', never), true)
})

test('a penalty holds for its chat, or for all', async () => {
  let now = 0
  const budget = createRateBudget({ perSecond: 100, perChatSecond: 100 }, () => now)
  budget.penalty(5_000, chat('a'))
  assert.equal(await budget.take(chat('a'), 'progress', never), false)
  assert.equal(await budget.take(chat('b'), 'progress', never), true)
  budget.penalty(9_000)
  assert.equal(await budget.take(chat('b'), 'progress', never), false)
  now = 9_001
  assert.equal(await budget.take(chat('a'), 'progress', never), true)
})

test('a call that is slow to arrive keeps the next one as far behind it', async () => {
  let now = 0
  const budget = createRateBudget({ perSecond: 100, perChatSecond: 1 }, () => now)
  assert.equal(await budget.take(chat('a'), 'progress', never), true)
  now = 900
  budget.over(chat('a'))
  now = 1_800
  assert.equal(await budget.take(chat('a'), 'progress', never), false)
  now = 1_901
  assert.equal(await budget.take(chat('a'), 'progress', never), true)
  budget.over(chat('b'))
  assert.equal(await budget.take(chat('b'), 'progress', never), true, 'a chat that was not called may be')
})

test('groups have a limit of a minute, direct chats have not', async () => {
  const budget = createRateBudget({ perSecond: 1000, perChatSecond: 1000, perGroupMinute: 20 }, () => 0)
  let [group, direct] = [0, 0]
  for (let n = 0; n < 30; n++) {
    if (await budget.take(chat('g', 'group'), 'progress', never)) group++
    if (await budget.take(chat('d'), 'progress', never)) direct++
  }
  assert.deepEqual([group, direct], [20, 30])
})

test('a wait ends when it is given up', async () => {
  const budget = createRateBudget({ perSecond: 100, perChatSecond: 100 })
  budget.penalty(60_000)
  const giveUp = new AbortController()
  const waiting = budget.take(chat('a'), 'final', giveUp.signal)
  giveUp.abort(new Error('enough'))
  await assert.rejects(waiting)
})
