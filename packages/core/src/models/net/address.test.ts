import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isLocal, isLoopback } from './address.ts'

const loopback = ['localhost', 'LOCALHOST', 'a.localhost', '127.0.0.1', '127.9.9.9', '[::1]', '0.0.0.0']
const near = [
  '10.1.2.3',
  '192.168.0.5',
  '172.16.0.1',
  '172.31.9.9',
  '100.64.0.1',
  '[fd00::1]',
  '[fe80::1]',
  'box.local',
]
const far = [
  '8.8.8.8',
  '172.32.0.1',
  '1.10.1.1',
  '100.128.0.1',
  'example.com',
  '10.example.com',
  '127.0.0.1.example.com',
]

test('this machine is known by its names and addresses', () => {
  for (const name of loopback) assert.ok(isLoopback(name), name)
  for (const name of [...near, ...far]) assert.ok(!isLoopback(name), name)
})

test('machines on the same network are known by their addresses', () => {
  for (const name of [...loopback, ...near]) assert.ok(isLocal(name), name)
  for (const name of far) assert.ok(!isLocal(name), name)
})
