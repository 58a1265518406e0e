import { buttonsOf } from './blocks.ts'
import type { Deliverer } from './delivery.ts'
import { fileObject } from './methods.ts'
import { textOf } from './world.ts'
import type { Fields, SlackFile, SlackMessage, SlackWorld } from './world.ts'

/** What of a person's message is other than usual: `{text: 'hello'}` from Ann in a direct chat. */
export interface PersonMessage extends Fields {
  readonly channel?: string
  readonly user?: string
  readonly threadTs?: string
  readonly files?: readonly Fields[]
}

/** What people of a workspace do, as the app is told of it. */
export interface SlackPeople {
  /** A person writes. Answers with the message's time, which is its id. */
  write(message: PersonMessage): string
  /** An event of any kind, in its wrapper. */
  give(event: Fields, more?: Fields): void
  command(command: string, text: string, more?: Fields): void
  press(message: SlackMessage, label: string, user?: string): void
  /** A file that people can share: its form in events. */
  addFile(name: string, mimetype: string, bytes: Buffer | string): Fields
}

export interface PeopleOptions {
  readonly world: SlackWorld
  readonly deliverer: Deliverer
  /** Where the service is. */
  readonly url: () => string
}

export function createPeople({ world, deliverer, url }: PeopleOptions): SlackPeople {
  let count = 0
  const people: SlackPeople = {
    write({ channel = 'D1', user = 'U1', threadTs, text = '', files, ...more }) {
      const place = world.channels.get(channel)
      const ts = world.nextTs()
      const teamId = place?.teamId ?? 'T1'
      world.messages.push({
        ts,
        channel,
        teamId,
        isBroadcast: false,
        user,
        text: String(text),
        blocks: [],
        earlier: [],
        reactions: new Set(),
        isDeleted: false,
        ...(threadTs !== undefined && { threadTs }),
      })
      const root = world.messages.find((one) => one.channel === channel && one.ts === threadTs)
      const event = {
        type: 'message',
        channel,
        channel_type: place?.type ?? 'channel',
        user,
        team: teamId,
        text,
        ts,
        event_ts: ts,
        ...(threadTs !== undefined && { thread_ts: threadTs }),
        ...(root && { parent_user_id: root.user }),
        ...(files && { subtype: 'file_share', files }),
        ...more,
      }
      people.give(event, { team_id: teamId })
      return ts
    },
    give(event, more = {}) {
      deliverer.give({
        type: 'events_api',
        payload: {
          token: 'verification',
          team_id: 'T1',
          api_app_id: 'A1',
          type: 'event_callback',
          event_id: `Ev${++count}`,
          event_time: Math.floor(Date.now() / 1000),
          event,
          ...more,
        },
      })
    },
    command(command, text, more = {}) {
      const payload = {
        command,
        text,
        team_id: 'T1',
        channel_id: 'D1',
        channel_name: 'directmessage',
        user_id: 'U1',
        user_name: 'ann',
        trigger_id: `${++count}.trigger`,
        response_url: `${url()}/response/${textOf(more['channel_id']) || 'D1'}`,
        ...more,
      }
      deliverer.give({ type: 'slash_commands', payload })
    },
    press({ channel, ts, threadTs, blocks, teamId, text }, label, user = 'U1') {
      const button = buttonsOf(blocks).find((one) => (one['text'] as Fields)['text'] === label)
      if (!button) throw new Error(`no button ${label}`)
      const payload = {
        type: 'block_actions',
        team: { id: teamId },
        user: { id: user, name: (world.users.get(user) ?? user).toLowerCase() },
        channel: { id: channel, name: 'somewhere' },
        message: { ts, text, ...(threadTs !== undefined && { thread_ts: threadTs }) },
        actions: [
          { type: 'button', action_id: button['action_id'], value: button['value'], action_ts: world.nextTs() },
        ],
      }
      deliverer.give({ type: 'interactive', payload })
    },
    addFile(name, mimetype, bytes) {
      const id = `F${world.files.size + 1}`
      const file: SlackFile = { id, name, mimetype, bytes: Buffer.from(bytes), shares: [] }
      world.files.set(id, file)
      return fileObject(file, url())
    },
  }
  return people
}
