import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startHomeAssistant } from '@hermes/testing/media-services/home-assistant.ts'
import { runToolTurn } from '@hermes/testing/tool-turn.ts'
import type { Environment } from '../agent/context.ts'
import type { Decide } from '../agent/decision.ts'
import { haCallService } from '../tools/ha-call-service.ts'
import { haGetState } from '../tools/ha-get-state.ts'
import { haListEntities } from '../tools/ha-list-entities.ts'
import { haListServices } from '../tools/ha-list-services.ts'
import { testSession } from '../tools/test-session.ts'

const named = (name: string, more = {}) => ({ attributes: { friendly_name: name, ...more } })

/** A house with a person who answers every question with `choice`. */
async function house({
  choice = 'deny',
  environment = {},
}: { choice?: 'once' | 'deny'; environment?: Environment } = {}) {
  const home = await startHomeAssistant([
    { entity_id: 'light.kitchen', state: 'off', ...named('Kitchen Light') },
    { entity_id: 'light.sofa', state: 'on', ...named('Sofa', { area: 'Living Room' }) },
    { entity_id: 'lock.front', state: 'locked', ...named('Front door') },
    { entity_id: 'cover.blind', state: 'closed', ...named('Blind', { device_class: 'blind' }) },
    { entity_id: 'cover.garage', state: 'closed', ...named('Garage', { device_class: 'garage' }) },
    { entity_id: 'alarm_control_panel.house', state: 'armed_away' },
  ])
  const asked: string[] = []
  const decide: Decide = async (request) => {
    assert.ok(request.kind === 'approval')
    asked.push(`${request.subject}: ${request.reason}`)
    return { kind: 'approval', choice }
  }
  const session = await testSession({
    environment: { HASS_URL: home.url, HASS_TOKEN: home.token, ...environment },
    decide,
  })
  return {
    home,
    session,
    asked,
    call: (domain: string, service: string, more = {}) => session.run(haCallService, { domain, service, ...more }),
    async [Symbol.asyncDispose]() {
      await session[Symbol.asyncDispose]()
      await home[Symbol.asyncDispose]()
    },
  }
}

test('a turn lists the entities of a room', async () => {
  await using all = await house()
  const { json } = await runToolTurn({
    tool: 'ha_list_entities',
    args: { area: 'living_room' },
    home: { '.env': `HASS_TOKEN=${all.home.token}\nHASS_URL=${all.home.url}\n` },
    toolsets: ['homeassistant'],
  })
  const sofa = { entity_id: 'light.sofa', state: 'on', friendly_name: 'Sofa' }
  assert.deepEqual(json, { result: { count: 1, entities: [sofa] } })
})

test('entities are listed by domain, by the name of a room, and all', async () => {
  await using all = await house()
  const ids = async (args: object) =>
    (await all.session.run(haListEntities, args)).json.result.entities.map(
      (one: { entity_id: string }) => one.entity_id,
    )
  assert.deepEqual(await ids({ domain: 'light' }), ['light.kitchen', 'light.sofa'])
  assert.deepEqual(await ids({ area: 'KITCHEN' }), ['light.kitchen'])
  assert.equal((await ids({})).length, 6)
})

test('a state has its attributes; what is no entity id is never part of an address', async () => {
  await using all = await house()
  const { json } = await all.session.run(haGetState, { entity_id: 'light.sofa' })
  assert.deepEqual([json.result.state, json.result.attributes.area], ['on', 'Living Room'])
  assert.match((await all.session.run(haGetState, { entity_id: 'light.none' })).json.error, /no entity light\.none/)
  const before = all.home.requests.length
  for (const id of ['../config', 'light.a/../../config', 'light', 'light.a?x', 'Light.a', 'light.a%2f']) {
    assert.match((await all.session.run(haGetState, { entity_id: id })).json.error, /no entity id/, id)
  }
  assert.equal(all.home.requests.length, before)
})

test('services are listed with what they take', async () => {
  await using all = await house()
  const { json } = await all.session.run(haListServices, { domain: 'light' })
  assert.deepEqual(json.result, {
    count: 1,
    domains: [
      {
        domain: 'light',
        services: {
          turn_on: { description: 'Turns on a light.', fields: { brightness: 'From 0 to 255.' } },
          turn_off: { description: 'Turns off a light.' },
        },
      },
    ],
  })
})

test('a light is switched without asking', async () => {
  await using all = await house()
  const { json } = await all.call('light', 'turn_on', { entity_id: 'light.kitchen', data: '{"brightness": 9}' })
  assert.deepEqual(json.result, {
    success: true,
    service: 'light.turn_on',
    affected_entities: [{ entity_id: 'light.kitchen', state: 'on' }],
  })
  assert.deepEqual(all.home.calls, [{ service: 'light.turn_on', data: { brightness: 9, entity_id: 'light.kitchen' } }])
  assert.deepEqual(all.asked, [])
})

const dangerous: readonly (readonly [domain: string, service: string, more: object, reason: RegExp])[] = [
  ['lock', 'unlock', { entity_id: 'lock.front' }, /lock/],
  ['lock', 'open', { data: '{"area_id": "hall"}' }, /lock/],
  ['homeassistant', 'turn_off', { data: '{"entity_id": ["light.sofa", "lock.front"]}' }, /lock/],
  ['homeassistant', 'toggle', { entity_id: 'all' }, /lock/],
  ['cover', 'open_cover', { entity_id: 'cover.garage' }, /garage/],
  ['cover', 'set_cover_position', { entity_id: 'cover.blind, cover.garage', data: '{"position": 100}' }, /garage/],
  ['cover', 'toggle', { entity_id: 'cover.unknown' }, /garage/],
  ['cover', 'open_cover', { data: '{"device_id": "abc"}' }, /garage/],
  ['alarm_control_panel', 'alarm_disarm', { entity_id: 'alarm_control_panel.house' }, /alarm/],
  ['homeassistant', 'restart', {}, /restart/],
  ['homeassistant', 'turn_on', { entity_id: 'group.doors' }, /lock/],
  ['scene', 'apply', { data: '{"entities": {"lock.front": "unlocked", "light.sofa": "on"}}' }, /lock/],
  ['conversation', 'process', { data: '{"text": "unlock the front door"}' }, /sentence/],
  ['zwave_js', 'set_value', { entity_id: 'light.sofa' }, /zwave_js/],
  ['mqtt', 'publish', { data: '{"topic": "lock/set"}' }, /mqtt/],
]
for (const [domain, service, more, reason] of dangerous) {
  test(`${domain}.${service} ${JSON.stringify(more)} needs consent, and is not done without`, async () => {
    await using all = await house()
    const { json, status } = await all.call(domain, service, more)
    assert.equal(status, 'denied')
    assert.match(json.error, /denied/)
    assert.match(all.asked.join(), reason)
    assert.deepEqual(all.home.calls, [])
  })
}

test('with consent a door is unlocked; to lock it, or to move a blind, nobody is asked', async () => {
  await using all = await house({ choice: 'once' })
  const { json } = await all.call('lock', 'unlock', { entity_id: 'lock.front' })
  assert.deepEqual(json.result.affected_entities, [{ entity_id: 'lock.front', state: 'unlocked' }])
  assert.equal(all.asked.length, 1)
  await all.call('lock', 'lock', { entity_id: 'lock.front' })
  await all.call('cover', 'open_cover', { entity_id: 'cover.blind' })
  await all.call('cover', 'close_cover', { entity_id: 'cover.garage' })
  assert.deepEqual([all.asked.length, all.home.stateOf('lock.front')], [1, 'locked'])
})

test('what could run anything, or would lead elsewhere, is never called, whoever agrees', async () => {
  await using all = await house({ choice: 'once', environment: { HERMES_YOLO_MODE: '1' } })
  for (const domain of ['shell_command', 'command_line', 'python_script', 'pyscript', 'hassio', 'rest_command']) {
    const { json, status } = await all.call(domain, 'anything')
    assert.deepEqual([status, /never called/.test(json.error)], ['denied', true])
  }
  const wrong = [
    ['light', '../../config'],
    ['../states', 'x'],
    ['Light', 'turn_on'],
  ] as const
  for (const [domain, service] of wrong) assert.match((await all.call(domain, service)).json.error, /no name/)
  assert.match((await all.call('light', 'turn_on', { data: '{"entity_id": "a/b"}' })).json.error, /no entity id/)
  assert.match((await all.call('light', 'turn_on', { data: '[1]' })).json.error, /no JSON object/)
  assert.match((await all.call('light', 'turn_on', { data: '{' })).json.error, /no JSON/)
  assert.equal(all.home.requests.length, 0)
})

test('failures are told, never with the token', async () => {
  await using all = await house()
  assert.match((await all.call('light', 'fail')).json.error, /light\.fail not found/)
  for (const fault of [{ type: 'status', status: 401 }, { type: 'garbage' }, { type: 'drop' }] as const) {
    all.home.misbehave(fault)
    const { json, status } = await all.session.run(haListEntities, {})
    assert.equal(status, 'error')
    assert.match(json.error, /Home Assistant/)
    assert.doesNotMatch(json.error, /stand-in-token/)
  }
  await using without = await testSession()
  assert.match((await without.run(haListEntities, {})).json.error, /HASS_TOKEN is not set/)
})
