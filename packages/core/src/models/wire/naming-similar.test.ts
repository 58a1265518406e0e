import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ModelError } from '../model-error.ts'
import { namingSimilar } from './naming-similar.ts'

test('a model that is not there is told with those that look like it; one that is listed is never suggested for itself', () => {
  const failure = new ModelError('model-not-found', 'Gone.')
  const there = [{ id: 'glm-5' }, { id: 'glm-5-air' }]
  assert.match(namingSimilar(failure, 'glm-6', there).message, /^Gone\. Did you mean glm-5/)
  assert.equal(namingSimilar(failure, 'glm-5', there).message, 'Gone.')
  assert.equal(namingSimilar(failure, 'quite-another', there).message, 'Gone.')
})
