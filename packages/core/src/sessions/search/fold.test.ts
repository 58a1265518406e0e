import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { foldText } from './fold.ts'

test('case, diacritics and width do not matter', () => {
  assert.equal(foldText('Résumé ÀÉÎ İstanbul'), 'resume aei istanbul')
  assert.equal(foldText('re\u0301sume\u0301'), 'resume')
  assert.equal(foldText('ΟΔΟΣ Οδός'), 'οδοσ οδοσ')
  assert.equal(foldText('Ｆｕｌｌ　ﬁne ｶﾞﾗｽ ⼈'), 'full　fine ガラス 人')
  assert.equal(foldText('ДОКЕР а́'), 'докер а')
})

test('marks that make other letters stay', () => {
  for (const [a, b] of [
    ['か', 'が'],
    ['и', 'й'],
    ['ن', 'نَ'],
  ] as const) {
    assert.notEqual(foldText(a), foldText(b))
  }
  assert.equal(foldText('か\u3099'), foldText('が'))
  assert.equal(foldText('한국'.normalize('NFD')), '한국')
})

test('text that contains a string contains it folded', () => {
  const character = fc.constantFrom(...Array.from('aÉßİΣσς数据库が데이ｱＡ🚀 -_.,，。'), '𠮷', 'ж', 'Ж')
  const text = fc.array(character, { maxLength: 12 }).map((characters) => characters.join(''))
  fc.assert(
    fc.property(text, text, text, (before, inside, after) => {
      assert.ok(foldText(before + inside + after).includes(foldText(inside)))
    }),
  )
})

test('folding again changes nothing', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      assert.equal(foldText(foldText(text)), foldText(text))
    }),
  )
})
