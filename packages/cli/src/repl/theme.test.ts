import assert from 'node:assert/strict'
import { test } from 'node:test'
import { defaultSkin } from './skin.ts'
import { colorLevelOf, createTheme } from './theme.ts'

test('how many colours are shown follows the environment', () => {
  assert.equal(colorLevelOf({ TERM: 'xterm-256color', COLORTERM: 'truecolor' }), 'truecolor')
  assert.equal(colorLevelOf({ TERM: 'xterm-256color' }), '256')
  assert.equal(colorLevelOf({ TERM: 'xterm' }), '16')
  assert.equal(colorLevelOf({ TERM: 'dumb', COLORTERM: 'truecolor' }), 'none')
  assert.equal(colorLevelOf({ TERM: 'xterm-256color', COLORTERM: 'truecolor', NO_COLOR: '1' }), 'none')
  assert.equal(colorLevelOf({ TERM: 'xterm', NO_COLOR: '' }), '16')
})

test("a skin's colour is written as the terminal can show it", () => {
  const painted = (level: Parameters<typeof createTheme>[1]) => createTheme(defaultSkin, level).ok('done')
  assert.equal(painted('truecolor'), '\u001b[38;2;76;175;80mdone\u001b[39m')
  assert.equal(painted('256'), '\u001b[38;5;71mdone\u001b[39m')
  assert.equal(painted('16'), '\u001b[92mdone\u001b[39m')
})

test('without colours nothing but the text is written', () => {
  const theme = createTheme(defaultSkin, 'none')
  for (const paint of [theme.title, theme.ok, theme.dim, theme.bold, theme.underline])
    assert.equal(paint('text'), 'text')
})
