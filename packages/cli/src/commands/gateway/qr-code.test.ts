import assert from 'node:assert/strict'
import { test } from 'node:test'
import { qrCode, terminalLines } from './qr-code.ts'
import { readQrCode } from './read-qr-code.fixture.ts'

test('what is drawn in the terminal reads as the text again, whatever its length', () => {
  for (const length of [1, 17, 40, 70, 106, 107, 250, 600]) {
    const text = `http://192.168.1.5:8787/app/#token=${'aZ09_-'.repeat(120)}`.slice(0, length)
    const { text: drawn, columns } = terminalLines(qrCode(text))
    const lines = drawn.split('\n')
    // The colours are part of it, so that it is readable in any terminal.
    for (const line of lines) {
      assert.ok(line.startsWith('\u001B[38;5;16;48;5;231m') && line.endsWith('\u001B[0m'), line)
    }
    assert.equal(lines.length, Math.ceil(columns / 2))
    assert.equal(readQrCode(drawn), text)
  }
})
