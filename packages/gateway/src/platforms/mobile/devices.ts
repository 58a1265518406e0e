import type { AVATAR_STATES } from '@hermes/protocol/mobile/constants.ts'
import type { MobileErrorCode } from '@hermes/protocol/mobile/error-codes.ts'
import type { MobileServerFrame } from '@hermes/protocol/mobile/types.ts'
import type { DeviceLink } from './device-link.ts'

export type AvatarState = (typeof AVATAR_STATES)[number]

/** Devices that are connected, or that a turn works for, and what they are shown of the moment. */
export interface Devices {
  /** A connection was let in: it gets what holds for the moment. */
  join(link: DeviceLink): void
  leave(link: DeviceLink): void
  /** Something was added to what is kept for a device. */
  wake(deviceId: string): void
  /** To all connections of a device, as far as they can take it. */
  show(deviceId: string, frame: MobileServerFrame): void
  fail(deviceId: string, code: MobileErrorCode, message: string): void
  avatar(deviceId: string): AvatarState
  setAvatar(deviceId: string, state: AvatarState): void
  /** The agent writes, or no longer. */
  setTyping(deviceId: string, isTyping: boolean): void
  /** Is told of each new state of a device's avatar; returns how to stop that. */
  watchAvatar(deviceId: string, watcher: (state: AvatarState) => void): () => void
}

interface DeviceState {
  readonly links: Set<DeviceLink>
  readonly watchers: Set<(state: AvatarState) => void>
  avatar: AvatarState
  isTyping: boolean
}

export function createDevices(): Devices {
  const states = new Map<string, DeviceState>()
  const stateOf = (deviceId: string): DeviceState => {
    const found = states.get(deviceId)
    if (found) return found
    const made: DeviceState = { links: new Set(), watchers: new Set(), avatar: 'idle', isTyping: false }
    states.set(deviceId, made)
    return made
  }
  const linksOf = (deviceId: string) => [...(states.get(deviceId)?.links ?? [])]
  /** Forgets what says nothing any more. */
  const settle = (deviceId: string) => {
    const state = states.get(deviceId)
    if (state && state.links.size + state.watchers.size === 0 && !state.isTyping && state.avatar === 'idle')
      states.delete(deviceId)
  }

  const devices: Devices = {
    join(link) {
      const state = stateOf(link.deviceId)
      state.links.add(link)
      if (state.avatar !== 'idle') link.show({ t: 'avatar', state: state.avatar })
      if (state.isTyping) link.show({ t: 'typing' })
      link.wake()
    },
    leave(link) {
      states.get(link.deviceId)?.links.delete(link)
      settle(link.deviceId)
    },
    wake(deviceId) {
      for (const link of linksOf(deviceId)) link.wake()
    },
    show(deviceId, frame) {
      for (const link of linksOf(deviceId)) link.show(frame)
    },
    fail(deviceId, code, message) {
      for (const link of linksOf(deviceId)) link.fail(code, message)
    },
    avatar: (deviceId) => states.get(deviceId)?.avatar ?? 'idle',
    setAvatar(deviceId, avatar) {
      const state = stateOf(deviceId)
      if (state.avatar !== avatar) {
        state.avatar = avatar
        devices.show(deviceId, { t: 'avatar', state: avatar })
        for (const watcher of state.watchers) watcher(avatar)
      }
      settle(deviceId)
    },
    setTyping(deviceId, isTyping) {
      const state = stateOf(deviceId)
      if (state.isTyping !== isTyping) {
        state.isTyping = isTyping
        devices.show(deviceId, isTyping ? { t: 'typing' } : { t: 'typing', stop: true })
      }
      settle(deviceId)
    },
    watchAvatar(deviceId, watcher) {
      stateOf(deviceId).watchers.add(watcher)
      return () => {
        states.get(deviceId)?.watchers.delete(watcher)
        settle(deviceId)
      }
    },
  }
  return devices
}
